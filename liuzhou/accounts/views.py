"""Signing up; every other page of accounts is allauth's as it is."""

from allauth.account.views import SignupView as AllauthSignupView
from django.http import HttpResponse

from liuzhou.accounts.errors import AccountError, NicknameTaken
from liuzhou.accounts.forms import SignupForm, refusal


class SignupView(AllauthSignupView):
    """A refusal that only the database could see (the name was taken meanwhile) is shown in the form."""

    def form_valid(self, form: SignupForm) -> HttpResponse:
        try:
            return super().form_valid(form)
        except AccountError as error:
            form.add_error("nickname" if isinstance(error, NicknameTaken) else "username", refusal(error))
            return self.form_invalid(form)
