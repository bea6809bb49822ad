/** The script of the dashboard: local times, keys, values of charts, and buttons that copy. Every page works without it, in UTC. */

/**
 * Times are `<time>` elements (those of rows that come later are in the event `rows`), slices of charts (from the start and length of the first one), and fields of the type `datetime-local`, which
 * are sent in UTC. The key `/` goes to the search; in a chart, arrows go from slice to slice, so that Tab leaves it at once.
 */
export const SCRIPT = `
{
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' });
  const local = (time) => form.format(time);
  document.getElementById('zone').textContent = 'Times in ' + form.resolvedOptions().timeZone;
  const showLocalTimes = (within) => {
    for (const time of all('time[datetime*=T]', within)) {
      time.title = time.textContent + ' UTC';
      time.textContent = local(new Date(time.dateTime));
    }
  };
  showLocalTimes(document);
  document.addEventListener('rows', ({ detail }) => showLocalTimes(detail));
  for (const input of all('input[type=datetime-local]')) {
    const utc = (value) => new Date(value).toISOString().slice(0, -1);
    if (input.value !== '') input.value = local(new Date(input.value + 'Z')).replace(' ', 'T');
    const label = input.labels[0];
    label.textContent = label.textContent.replace(' (UTC)', '');
    input.form.addEventListener('formdata', ({ formData }) => {
      if (input.value !== '') formData.set(input.name, utc(input.value));
    });
  }
  for (const text of all('[data-copy]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'link';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', 'Copy the ' + text.dataset.copy);
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = 'Selected: copy it with the keyboard';
      }
    });
    text.after(' ', button);
  }
  for (const card of all('[data-since]')) {
    const { since, step, cut } = card.dataset;
    const [from, to] = cut.split(',');
    all('.slice tspan', card).forEach((label, slice) => { label.dataset.slice = slice; });
    for (const label of all('[data-slice]', card)) {
      label.textContent = local(new Date(Number(since) + Number(step) * label.dataset.slice)).slice(from, to);
    }
  }
  for (const chart of all('svg.chart')) {
    const slices = all('.slice', chart);
    slices.forEach((slice, index) => slice.setAttribute('tabindex', index === slices.length - 1 ? 0 : -1));
    chart.addEventListener('keydown', ({ key, target }) => {
      const next = slices[slices.indexOf(target) + (key === 'ArrowRight') - (key === 'ArrowLeft')];
      if (next === undefined || next === target) return;
      target.setAttribute('tabindex', -1);
      next.setAttribute('tabindex', 0);
      next.focus();
    });
  }
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, textarea, select, [contenteditable]') !== null) return;
    event.preventDefault();
    document.querySelector('.side input[type=search]').focus();
  });
}
`;
