/** A page inside the page of another site: what it adds to show itself there, and the messages that it sends to that page. */

import { raw } from 'hono/html';

/** Begins each message of the connect page to a partner's page. `version` changes when an older script would misread one. */
export const MESSAGE = { type: 'unified-tool-gateway:connect', version: 1 } as const;

/** Message of the window of a sign-in to the frame that opened it. Says only that it is done. */
export const WINDOW_DONE = `${MESSAGE.type}:window-done`;

/** Attribute of forms that continue in a new window, because their target refuses to be framed. */
export const OPENS_WINDOW = raw(' target="_blank" rel="opener" data-window');

/** Id of the form that continues once such a window is done. */
export const AFTER_WINDOW = 'after-window';

/**
 * The script of framed pages: reports the height and Escape. It gives the field with `autofocus` the focus once the frame has it, because browsers
 * ignore `autofocus` in a frame of another site.
 */
export const FRAME_SCRIPT = `
{
  const { origin } = document.getElementById('frame').dataset;
  const tell = (event) => parent.postMessage({ ...${JSON.stringify(MESSAGE)}, ...event }, origin);
  const page = document.documentElement;
  new ResizeObserver(() => tell({ event: 'height', height: Math.ceil(page.getBoundingClientRect().height) })).observe(page);
  addEventListener('keydown', ({ key }) => { if (key === 'Escape') tell({ event: 'closed' }); });

  const focus = () => document.querySelector('[autofocus], button.primary')?.focus();
  if (document.hasFocus()) focus();
  else addEventListener('focus', focus, { once: true });

  const after = document.getElementById('${AFTER_WINDOW}');
  let opened = null;
  for (const form of document.querySelectorAll('form[data-window]')) {
    form.addEventListener('submit', () => {
      opened = window.open('about:blank', 'utg-sign-in', 'popup,width=520,height=720');
      if (opened !== null) form.target = 'utg-sign-in';
      after.hidden = false;
      form.hidden = true;
      after.querySelector('button').focus();
    });
  }
  addEventListener('message', ({ origin, source, data }) => {
    if (origin === location.origin && source === opened && opened !== null && data === '${WINDOW_DONE}') {
      after.requestSubmit(after.querySelector('button'));
    }
  });
}
`;
