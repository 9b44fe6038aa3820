"""What can be refused about agencies, as sentences for whoever asked."""

from liuzhou.accounts.errors import AccountError, DetailedError


class AlreadyApplied(AccountError):
    code = "already_applied"
    zh = "你已经有一份待审的申请。"
    en = "Your application is already waiting."


class AlreadyAgent(AccountError):
    code = "already_agent"
    zh = "这个帐号已经是代理，或是管理员。"
    en = "This account is an agent or staff already."


class NoSuchApplication(AccountError):
    code = "no_such_application"
    zh = "没有这份申请。"
    en = "There is no such application."


class ApplicationDecided(DetailedError):
    code = "application_decided"
    zh = "这份申请刚才已由 {by} 处理：{state}。"
    en = "{by} has decided this application meanwhile: {state}."


class OwnApplication(AccountError):
    code = "own_application"
    zh = "不能审批自己的申请，请另一位管理员处理。"
    en = "Nobody decides their own application; another admin has to."


class NotEnoughRooms(DetailedError):
    code = "not_enough_rooms"
    zh = "还不能批准：最近 {days} 天里最多的一天（{day}）开了 {best} 个房间，需要一天内 {needed} 个。"
    en = "Not yet: the best of the last {days} days ({day}) has {best} rooms, {needed} within one day are needed."


class HasOtherRights(AccountError):
    code = "has_other_rights"
    zh = "申请人另有管理权限，不能兼做代理；先撤去其权限。"
    en = "The applicant has other staff rights, which an agent must not have. Take them away first."


class AccountInactive(AccountError):
    code = "account_inactive"
    zh = "这个帐号已停用或注销。"
    en = "This account is closed or switched off."


class ReasonNeeded(AccountError):
    code = "reason_needed"
    zh = "请写明原因（最多 200 字）。"
    en = "Please give a reason (up to 200 characters)."


class AgentSuspended(AccountError):
    code = "agent_suspended"
    zh = "这个代理已停用。"
    en = "This agent is suspended."


class AgentNotSuspended(AccountError):
    code = "agent_not_suspended"
    zh = "这个代理没有停用。"
    en = "This agent is not suspended."


class NoSuchPlayer(DetailedError):
    code = "no_such_player"
    zh = "没有玩家号为 {number} 的玩家可以邀请。"
    en = "There is no player {number} who could be invited."


class AskedTooSoon(DetailedError):
    code = "asked_too_soon"
    zh = "这位玩家不久前谢绝或离开了，{days} 天后才能再邀请。"
    en = "This player declined or left a short while ago; ask again after {days} days."


class TooManyInvitations(DetailedError):
    code = "too_many_invitations"
    zh = "今天已邀请 {limit} 次，明天再来。"
    en = "That was {limit} invitations today. Come back tomorrow."


class NoSuchInvitation(AccountError):
    code = "no_such_invitation"
    zh = "这份邀请已经失效。"
    en = "This invitation is no longer open."


class HasAgent(DetailedError):
    code = "has_agent"
    zh = "你现在的代理是 {agent}；先离开，才能换一位。"
    en = "Your agent is {agent}; leave them before taking another."


class AgentsHaveNone(AccountError):
    code = "agents_have_none"
    zh = "代理和管理员不能绑定代理。"
    en = "Agents and staff have no agent themselves."


class NotBound(AccountError):
    code = "not_bound"
    zh = "这位玩家没有绑定到你名下。"
    en = "This player is not one of yours."


class BadAmount(DetailedError):
    code = "bad_amount"
    zh = "数量要在 1 到 {most} 之间。"
    en = "The amount must be between 1 and {most}."


class StockShort(DetailedError):
    code = "stock_short"
    zh = "库存只有 {stock} 张，还差 {shortfall} 张。先进货，再转卡。"
    en = "The stock is {stock}, {shortfall} short. Order more before handing over."


class TokenReused(AccountError):
    code = "token_reused"
    zh = "这张单子已经办理过，内容却不同；请重新填写。"
    en = "This form was used for something else already. Please fill in a new one."


class TooManyOrders(DetailedError):
    code = "too_many_orders"
    zh = "还有 {limit} 张进货单没有办完，办完再下新单。"
    en = "There are {limit} open orders; wait until they are done."


class OrderClosed(DetailedError):
    code = "order_closed"
    zh = "这张进货单刚才已经处理：{state}。"
    en = "This order was dealt with meanwhile: {state}."


class OwnOrder(AccountError):
    code = "own_order"
    zh = "不能办理自己的进货单。"
    en = "Nobody deals with their own order."
