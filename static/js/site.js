/** The pages outside the table: the keypad, forms that remember, avatar colours. Everything works without it too. */

for (const avatar of document.querySelectorAll(".avatar[data-color]")) {
  if (/^#[0-9a-f]{6}$/i.test(avatar.dataset.color)) avatar.style.backgroundColor = avatar.dataset.color;
}

for (const opener of document.querySelectorAll("[data-opens]")) {
  const dialog = document.getElementById(opener.dataset.opens);
  if (!dialog?.showModal) continue;
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.showModal();
    dialog.querySelector("[data-digit], input:not([type=hidden])")?.focus();
  });
  dialog.querySelector("[data-closes]")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

for (const keypad of document.querySelectorAll(".keypad")) {
  const code = keypad.querySelector("[name=code]");
  const touch = matchMedia("(pointer: coarse)").matches;
  keypad.querySelector(".keypad__keys").hidden = false;
  if (touch) code.inputMode = "none"; // the page's own keys are there
  keypad.addEventListener("click", (event) => {
    const { digit } = event.target.closest("[data-digit]")?.dataset ?? {};
    if (digit === undefined) return;
    if (digit === "clear") code.value = "";
    else if (digit === "back") code.value = code.value.slice(0, -1);
    else if (code.value.length < 6) code.value += digit;
    if (code.value.length === 6 && /\d/.test(digit)) keypad.requestSubmit();
  });
  keypad.addEventListener("keydown", (event) => {
    if (event.target === code || event.ctrlKey || event.metaKey) return;
    if (/^\d$/.test(event.key) && code.value.length < 6) code.value += event.key;
    else if (event.key === "Backspace") code.value = code.value.slice(0, -1);
  });
  code.addEventListener("input", () => {
    code.value = code.value.replace(/\D/g, "").slice(0, 6);
  });
}

/** A form's last choice: saved when it is sent, put back when it is opened afresh. */
function remembers(form, name) {
  const key = `form:${name}`;
  form.addEventListener("submit", () => {
    const entries = [...new FormData(form)].filter(([field]) => field !== "csrfmiddlewaretoken");
    try {
      localStorage.setItem(key, JSON.stringify(entries));
    } catch {
      // private mode: nothing is kept
    }
  });
  return key;
}

function restore(form, key) {
  let entries = [];
  try {
    entries = JSON.parse(localStorage.getItem(key) ?? "[]");
  } catch {
    return;
  }
  for (const [field, value] of entries) {
    for (const input of form.querySelectorAll(`[name="${CSS.escape(field)}"]`)) {
      if (input.type === "radio") input.checked = input.value === value || (input.checked && ![...form.elements[field]].some((one) => one.value === value));
      else if (input.type === "checkbox") input.checked = true;
      else if (input.tagName !== "SELECT" || [...input.options].some((option) => option.value === value)) input.value = value;
    }
  }
}

for (const form of document.querySelectorAll("form[data-remembers]")) restore(form, remembers(form, form.dataset.remembers));
for (const form of document.querySelectorAll("form[data-saves]")) remembers(form, form.dataset.saves);

document.addEventListener("click", (event) => {
  const menu = document.querySelector("details.me[open]");
  if (menu && !menu.contains(event.target)) menu.open = false;
});
