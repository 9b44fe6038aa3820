/** The create page: only the chosen preset's options are shown, and what the room costs. The server checks everything anyway. */

/** Values that only some presets allow (RULES 10). A value not named here is allowed wherever its option is. */
const ONLY = {
  fish: { pond: ["classic", "baike"], 159: ["tiantian"], follow: ["tiantian"], bomb: ["tiantian"] },
  base: { 2: ["tiantian"], 5: ["tiantian"], 10: ["tiantian"], 20: ["tiantian"] },
  players: { 2: ["tiantian"], 3: ["tiantian"] },
};
const DEFAULT_FISH = { classic: "pond", baike: "pond", tiantian: "none" };

const form = document.querySelector("main form");
const cost = document.getElementById("cost");

const chosen = (name) => new FormData(form).get(name);
const preset = () => chosen("preset") ?? "classic";

/** Shows or hides one choice; a hidden choice is never left chosen. */
function allow(input, allowed) {
  input.disabled = !allowed;
  input.closest(".segment").hidden = !allowed;
}

function settle(changed) {
  const name = preset();
  for (const field of form.querySelectorAll("[data-presets]")) {
    const fits = field.dataset.presets.split(" ").includes(name);
    const flips = field.dataset.field !== "fish_count" || ["159", "follow"].includes(chosen("fish"));
    field.hidden = !fits || !flips;
  }
  for (const [option, values] of Object.entries(ONLY)) {
    const inputs = [...form.querySelectorAll(`input[name=${option}]`)].filter((input) => input.type === "radio");
    for (const input of inputs) allow(input, !values[input.value] || values[input.value].includes(name));
    const open = inputs.filter((input) => !input.disabled);
    const wanted = changed === "preset" && option === "fish" ? DEFAULT_FISH[name] : null;
    const pick = open.find((input) => input.value === wanted) ?? open.find((input) => input.checked) ?? open[0];
    if (pick) pick.checked = true;
  }
  if (changed === "preset") settle();
}

function price() {
  const cards = cost?.getAttribute(`data-cards-${chosen("hands")}`);
  if (!cost || !cards) return;
  cost.hidden = false;
  cost.querySelector("b").textContent = cards;
}

if (form) {
  form.addEventListener("change", (event) => {
    settle(event.target.name);
    price();
  });
  settle();
  price();
}
