/** The script of the page of calls, which follows them on an event stream. Without it, the page reloads itself. */

/**
 * The link with `data-live` opens the stream, and closes it. Each event holds a table of calls: rows that the page does not show yet go to its
 * top. The link of a row names its call.
 */
export const LIVE_SCRIPT = `
{
  const MAX_ROWS = 100;
  const link = document.querySelector('a[data-live]');
  const state = link?.parentElement.querySelector('[role=status]');
  let stream = null;
  const stop = (text) => {
    stream.close();
    stream = null;
    link.textContent = 'Show live';
    state.textContent = text;
  };
  const show = ({ rows, isCut }) => {
    const template = document.createElement('template');
    template.innerHTML = rows;
    document.dispatchEvent(new CustomEvent('rows', { detail: template.content }));
    const body = document.querySelector('main table.calls tbody');
    if (body === null) {
      document.querySelector('main .empty')?.replaceWith(template.content);
    } else {
      const known = new Set([...body.querySelectorAll('td:first-child a')].map((each) => each.getAttribute('href')));
      const added = [...template.content.querySelectorAll('tbody tr')];
      body.prepend(...added.filter((row) => !known.has(row.querySelector('td:first-child a').getAttribute('href'))));
      for (const row of [...body.rows].slice(MAX_ROWS)) row.remove();
    }
    state.textContent = isCut ? 'More calls ended than are shown. Reload the page to see all.' : 'New calls appear as they end.';
  };
  link?.addEventListener('click', (event) => {
    event.preventDefault();
    if (stream !== null) return stop('');
    stream = new EventSource(link.dataset.live);
    link.textContent = 'Stop';
    state.textContent = 'New calls appear as they end.';
    stream.addEventListener('calls', ({ data }) => show(JSON.parse(data)));
    stream.addEventListener('end', ({ data }) => stop(JSON.parse(data)));
    stream.addEventListener('error', ({ target }) => {
      if (target.readyState === EventSource.CLOSED) stop('Live updates are not available: sign in again, or close other pages that follow calls.');
      else state.textContent = 'The connection broke. Connecting again.';
    });
  });
}
`;
