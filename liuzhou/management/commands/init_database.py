"""`manage.py init_database`: the roles and grants in a database of one's own (DATABASE_OWNER_URL), before `migrate`."""

from typing import Any

import dj_database_url
import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from psycopg import sql

from liuzhou.services import roles


class Command(BaseCommand):
    help = "Create the roles liuzhou_owner, liuzhou_app and liuzhou_auditor and their grants; harmless when repeated."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        login = dj_database_url.parse(settings.DATABASE_URL)["USER"]
        try:
            with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True, connect_timeout=10) as connection:
                roles.ensure_roles(connection)
                roles.ensure_grants(connection, creator=connection.info.user)
                self._allow_to_become_the_application(connection, login)
        except psycopg.Error as error:
            raise CommandError(
                f"{type(error).__name__}: {error}\n"
                "数据库角色无法建立 / The roles could not be set up: docs/operations.md, Roles, lists what an administrator runs."
            ) from error
        self.stdout.write("roles and grants are in place")

    def _allow_to_become_the_application(self, connection: psycopg.Connection, login: str) -> None:
        """The application connects with `-c role=liuzhou_app`, so its login must be a member of that role."""
        if login == roles.APP:
            return
        member = connection.execute("SELECT pg_has_role(%s, %s, 'MEMBER')", [login, roles.APP]).fetchone()
        if not (member and member[0]):
            app, user = sql.Identifier(roles.APP), sql.Identifier(login)
            connection.execute(sql.SQL("GRANT {} TO {}").format(app, user))
