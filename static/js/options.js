// SPDX-License-Identifier: Apache-2.0

// Disables fields without effect: data-when says which values of other fields they
// need, as "mode=default|paper;!gdf".

const values = (form, name) => {
  const found = [];
  for (const one of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
    if (one.type === 'checkbox' || one.type === 'radio' ? one.checked : one.value.trim() !== '') found.push(one.value);
  }
  return found;
};

const holds = (form, condition) => {
  const not = condition.startsWith('!');
  const [name, wanted] = condition.slice(not ? 1 : 0).split('=');
  const set = values(form, name);
  const is = wanted === undefined ? set.length > 0 : wanted.split('|').some((one) => set.includes(one));
  return is !== not;
};

const update = (form) => {
  for (const field of form.querySelectorAll('[data-when]')) {
    const idle = !field.dataset.when.split(';').every((one) => holds(form, one));
    field.classList.toggle('idle', idle);
    for (const one of field.querySelectorAll('input, select, textarea')) one.disabled = idle;
  }
};

/** Says how many of the choices are ticked: "all 31 labels", "2 of 31 labels". */
const count = (form) => {
  for (const at of form.querySelectorAll('[data-counts]')) {
    const ticked = values(form, at.dataset.counts).length;
    at.textContent = ticked === Number(at.dataset.of) ? `all ${ticked} labels` : `${ticked} of ${at.dataset.of} labels`;
  }
};

const usual = (one) => one.type === 'checkbox' || one.type === 'radio' ? one.checked === one.defaultChecked
  : one instanceof HTMLSelectElement ? [...one.options].every((o) => o.selected === o.defaultSelected) || ![...one.options].some((o) => o.defaultSelected) && one.selectedIndex === 0
  : one.value === one.defaultValue;

/** Says which fields of a closed part were changed, beside what the server said. */
const changed = (form) => {
  for (const at of form.querySelectorAll('[data-changed]')) {
    const names = [];
    for (const field of at.closest('details').querySelectorAll('.field')) {
      if ([...field.querySelectorAll('input, select, textarea')].some((one) => !usual(one))) names.push(field.querySelector('legend, label').textContent.trim());
    }
    at.textContent = names.length > 0 ? `changed: ${names.join(', ')}` : at.dataset.changed;
  }
};

const start = () => {
  for (const form of document.querySelectorAll('form:has([data-when])')) update(form);
};

document.addEventListener('change', (event) => {
  const form = event.target.form;
  if (form?.querySelector('[data-when]')) update(form);
  if (form?.querySelector('[data-counts], [data-changed]')) { count(form); changed(form); }
});
document.addEventListener('htmx:afterSettle', start);
start();
