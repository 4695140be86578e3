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

const start = () => {
  for (const form of document.querySelectorAll('form:has([data-when])')) update(form);
};

document.addEventListener('change', (event) => {
  if (event.target.form?.querySelector('[data-when]')) update(event.target.form);
});
document.addEventListener('htmx:afterSettle', start);
start();
