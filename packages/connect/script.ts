/** The script build, for pages without modules: `window.UnifiedToolGateway`. Each gateway serves it as `/connect.js`. */

import { ConnectError, connect, connectInFrame, type FrameOptions, type PopupOptions } from './index.ts';

type Optional<Options> = Omit<Options, 'gateway'> & { readonly gateway?: string };

/** As in the module. `gateway` is by default the origin that the script came from. */
export interface UnifiedToolGateway {
  connect(url: string | Promise<string>, options?: Optional<PopupOptions>): ReturnType<typeof connect>;
  connectInFrame(url: string | Promise<string>, options?: Optional<FrameOptions>): ReturnType<typeof connectInFrame>;
  readonly ConnectError: typeof ConnectError;
}

declare global {
  interface Window {
    UnifiedToolGateway: UnifiedToolGateway;
  }
}

const gateway = new URL((document.currentScript as HTMLScriptElement).src).origin;

window.UnifiedToolGateway = {
  ...window.UnifiedToolGateway,
  connect: (url, options) => connect(url, { gateway, ...options }),
  connectInFrame: (url, options) => connectInFrame(url, { gateway, ...options }),
  ConnectError,
};
