/** The script that partners' pages load from `GET /connect.js`. */

import { POPUP_MESSAGE } from './result-page.ts';

/**
 * Defines `UnifiedToolGateway.connect`.
 *
 * The window opens within the click, before its address is known; otherwise browsers block it. If none opens, the whole page
 * goes to the address. A message counts only if it comes from the gateway's origin and that window, with the state of the session.
 */
export const CONNECT_SCRIPT = `'use strict';
(() => {
  const gateway = new URL(document.currentScript.src).origin;

  class ConnectError extends Error {
    constructor(code, description) {
      super(description);
      this.name = 'ConnectError';
      this.code = code;
    }
  }

  /**
   * Opens the connect page in a popup, and waits for its answer. Call it in the handler of a click.
   *
   * @param {string | Promise<string>} url connect_url of a connect session whose allowed_origins name this page's origin.
   * @param {{ state?: string, features?: string }} [options] state: that of the session.
   * @returns {Promise<{ code: string, state: string | null }>} Send the code to your server, which redeems it.
   * Rejects with an Error whose code is that of the page's answer (access_denied), or 'closed': the window is closed, or
   * a service's pages have cut it off; then it goes to the session's redirect_uri itself.
   */
  async function connect(url, options = {}) {
    const { state = null, features = 'popup,width=520,height=720' } = options;
    const popup = window.open('about:blank', '_blank', features);
    let address;
    try {
      address = new URL(await url);
      if (address.origin !== gateway) throw new ConnectError('invalid_url', 'The connect_url is not of this gateway.');
    } catch (error) {
      if (popup !== null) popup.close();
      throw error;
    }
    if (popup === null) {
      location.assign(address.href);
      return new Promise(() => {});
    }
    address.searchParams.set('origin', location.origin);
    return new Promise((resolve, reject) => {
      const end = (settle, value) => {
        window.removeEventListener('message', hear);
        clearInterval(watch);
        settle(value);
      };
      const hear = ({ origin, source, data }) => {
        if (origin !== gateway || source !== popup || data?.type !== '${POPUP_MESSAGE}') return;
        if (data.state !== state) end(reject, new ConnectError('invalid_state', 'The answer has another state.'));
        else if (typeof data.code === 'string') end(resolve, { code: data.code, state: data.state });
        else end(reject, new ConnectError(data.error, data.error_description));
      };
      let closedLooks = 0;
      const watch = setInterval(() => {
        closedLooks = popup.closed ? closedLooks + 1 : 0;
        // The answer of a window that has closed may still be on its way.
        if (closedLooks > 2) end(reject, new ConnectError('closed', 'The window was closed, or cut off.'));
      }, 500);
      window.addEventListener('message', hear);
      popup.location.replace(address.href);
    });
  }

  window.UnifiedToolGateway = { ...window.UnifiedToolGateway, connect };
})();
`;
