/** The create page: only the chosen preset's options are shown, and what the room costs. The server checks everything anyway. */

const form = document.querySelector("main form");
const cost = document.getElementById("cost");

const chosen = (name) => new FormData(form).get(name);
const preset = () => chosen("preset") ?? "classic";

/** Shows or hides one choice; a hidden choice is never left chosen. */
function allow(input, allowed) {
  input.disabled = !allowed;
  input.closest(".segment").hidden = !allowed;
}

const has = (input, list) => (input.dataset[list] ?? "").split(" ").includes(preset());

function settle(changed) {
  for (const field of form.querySelectorAll("[data-field][data-presets]")) {
    settleChoices(field, changed);
  }
  for (const field of form.querySelectorAll("[data-field][data-presets]")) {
    const fits = field.dataset.presets.split(" ").includes(preset());
    const { withFish } = field.dataset;
    field.hidden = !fits || (withFish !== undefined && !withFish.split(" ").includes(chosen("fish")));
  }
}

/** One option: only the preset's values; its default when the preset is new or has not what was chosen. */
function settleChoices(field, changed) {
  const inputs = [...field.querySelectorAll("input[type=radio][data-presets]")];
  for (const input of inputs) allow(input, has(input, "presets"));
  const open = inputs.filter((input) => !input.disabled);
  const usual = open.find((input) => has(input, "defaults"));
  const kept = open.find((input) => input.checked);
  const pick = (changed === "preset" && field.dataset.field === "fish" ? usual : kept) ?? usual ?? open[0];
  if (pick) pick.checked = true;
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
