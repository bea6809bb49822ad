/** The script that partners' pages load from `GET /connect.js`. */

import { POPUP_MESSAGE } from './answer.ts';

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
   * Opens the connect page in a popup and waits for its answer. Call it in a click handler.
   *
   * @param {string | Promise<string>} url connect_url of a connect session whose allowed_origins name this page's origin.
   * @param {{ state?: string, features?: string }} [options] state: the session's state.
   * @returns {Promise<{ code: string, state: string | null }>} Send the code to your server, which redeems it.
   * Rejects with an Error. Its code is the error of the page (access_denied) or 'closed': the user closed the window, or a
   * service's page cut it off from this page. In the second case the window itself goes to the session's redirect_uri.
   */
  async function connect(url, options = {}) {
    const { state = null, features = 'popup,width=520,height=720' } = options;
    const popup = window.open('about:blank', '_blank', features);
    let address;
    try {
      address = new URL(await url);
      if (address.origin !== gateway) throw new ConnectError('invalid_url', 'The connect_url belongs to another gateway.');
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
        if (data.state !== state) end(reject, new ConnectError('invalid_state', 'The answer has a different state.'));
        else if (typeof data.code === 'string') end(resolve, { code: data.code, state: data.state });
        else end(reject, new ConnectError(data.error, data.error_description));
      };
      let closedChecks = 0;
      const watch = setInterval(() => {
        closedChecks = popup.closed ? closedChecks + 1 : 0;
        // The answer of a closed window may still be on its way.
        if (closedChecks > 2) end(reject, new ConnectError('closed', 'The window was closed or cut off.'));
      }, 500);
      window.addEventListener('message', hear);
      popup.location.replace(address.href);
    });
  }

  window.UnifiedToolGateway = { ...window.UnifiedToolGateway, connect };
})();
`;
