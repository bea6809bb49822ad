/** Opens the gateway's connect page from a page of the partner, in a popup or in a frame, and waits for its answer. */

/** What the two ways have in common. */
export interface ConnectOptions {
  /** The gateway's origin, such as `https://tools.example.com`. Addresses and messages of any other are refused. */
  readonly gateway: string;
  /** The session's `state`. Default: it has none. */
  readonly state?: string | null;
}

export interface PopupOptions extends ConnectOptions {
  /** Of `window.open`. Default: `popup,width=520,height=720`. */
  readonly features?: string;
}

export interface FrameOptions extends ConnectOptions {
  /** The element that gets the frame. Default: a dialog over the page. */
  readonly into?: HTMLElement;
  /** The name of the frame for screen readers. Default: `Connect a service`. */
  readonly title?: string;
  /** The name of the dialog's button for screen readers. Default: `Close`. */
  readonly closeLabel?: string;
}

/** Send the code to your server, which redeems it. */
export interface ConnectAnswer {
  readonly code: string;
  readonly state: string | null;
}

/** The message of the connect page to the page that opened it, whose origin it names exactly. Later versions may add members. */
export type ConnectMessage = { readonly type: typeof TYPE; readonly version: typeof VERSION } & (
  | { readonly event: 'height' /** In CSS pixels; of a frame. */; readonly height: number }
  | { readonly event: 'closed' /** Escape was pressed in a frame. */ }
  | ({ readonly event: 'completed' } & ConnectAnswer)
  | {
      readonly event: 'error';
      readonly error: string;
      readonly error_description: string;
      readonly state: string | null;
    }
);

const TYPE = 'unified-tool-gateway:connect';
const VERSION = 1;

/**
 * Why there is no code. `code` is the error of the page, such as `access_denied` (the user cancelled), or one of these:
 *
 * - `closed`: the user closed the window or frame, or a service's page cut the window off from this page. In the latter case the window
 *   itself goes to the session's `redirect_uri`.
 * - `invalid_state`: the answer is of another session.
 * - `invalid_url`: the address is not the gateway's.
 * - `frame_refused`: the gateway did not let this page show the frame.
 */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

const CLOSED_CHECK_MS = 500;
const CLOSED_CHECKS = 3;
const FIRST_MESSAGE_MS = 3000;
const MAX_HEIGHT_PX = 4000;

/**
 * Opens the connect page in a popup. Call it in the handler of a click: the window opens before the address is known, because browsers
 * block it later. If none opens, the whole page goes to the address, and the promise stays open.
 *
 * @param url `connect_url` of a session whose `allowed_origins` name this page's origin.
 * @throws {ConnectError}
 */
export async function connect(url: string | Promise<string>, options: PopupOptions): Promise<ConnectAnswer> {
  const popup = window.open('about:blank', '_blank', options.features ?? 'popup,width=520,height=720');
  const address = await addressOf(url, options).catch((error: unknown) => {
    popup?.close();
    throw error;
  });
  if (popup === null) {
    location.assign(address);
    return new Promise<never>(() => {});
  }
  address.searchParams.set('origin', location.origin);
  const listener = listenTo(popup, options);
  let closedChecks = 0;
  const closedTimer = setInterval(() => {
    // The answer of a closed window may still be on its way.
    closedChecks = popup.closed ? closedChecks + 1 : 0;
    if (closedChecks === CLOSED_CHECKS) listener.fail('closed', 'The window was closed or cut off.');
  }, CLOSED_CHECK_MS);
  popup.location.replace(address.href);
  return listener.answer.finally(() => clearInterval(closedTimer));
}

/**
 * Shows the connect page in a frame: in a dialog over this page, or in an element of it. Once it ends, the frame is removed, and the
 * focus is where it was.
 *
 * @param url `connect_url` of a session whose `allowed_origins` name this page's origin, at which you have registered a redirect URI.
 * @throws {ConnectError}
 */
export async function connectInFrame(url: string | Promise<string>, options: FrameOptions): Promise<ConnectAnswer> {
  const opener = document.activeElement;
  const frame = document.createElement('iframe');
  frame.title = options.title ?? 'Connect a service';
  Object.assign(frame.style, { display: 'block', width: '100%', height: '24rem', border: '0' });
  const element = options.into === undefined ? createDialog(frame, options) : frame;
  (options.into ?? document.body).append(element);
  const listener = listenTo(frame.contentWindow, options, ({ height }) => {
    frame.style.height = `${Math.min(height, MAX_HEIGHT_PX)}px`;
  });
  if (element instanceof HTMLDialogElement) {
    element.addEventListener('close', () => listener.fail('closed', 'The user closed the dialog.'));
    element.showModal();
  }
  addressOf(url, options).then((address) => {
    address.searchParams.set('frame', location.origin);
    frame.addEventListener('load', () => {
      frame.focus();
      setTimeout(() => {
        if (!listener.hasReceived()) listener.fail('frame_refused', REFUSED);
      }, FIRST_MESSAGE_MS);
    });
    frame.src = address.href;
  }, listener.reject);
  return listener.answer.finally(() => {
    if (element instanceof HTMLDialogElement) element.close();
    element.remove();
    if (opener instanceof HTMLElement) opener.focus();
  });
}

const REFUSED =
  'The gateway refused the frame. The link may have expired; or allowed_origins of the session, or your redirect URIs, do not name this site.';

async function addressOf(url: string | Promise<string>, { gateway }: ConnectOptions): Promise<URL> {
  const address = new URL(await url);
  if (address.origin === gateway) return address;
  throw new ConnectError('invalid_url', 'The connect_url belongs to another gateway.');
}

/** Hears the messages of one window: only those of the gateway's origin count. */
function listenTo(
  sender: Window | null,
  { gateway, state = null }: ConnectOptions,
  resize: (message: ConnectMessage & { event: 'height' }) => void = () => {},
) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<ConnectAnswer>();
  const fail = (code: string, description: string) => reject(new ConnectError(code, description));
  let hasReceived = false;
  const receive = ({ origin, source, data }: MessageEvent<ConnectMessage | null>) => {
    if (origin !== gateway || source !== sender || data?.type !== TYPE || data.version !== VERSION) return;
    hasReceived = true;
    if (data.event === 'height') resize(data);
    else if (data.event === 'closed') fail('closed', 'The user closed the page.');
    else if (data.state !== state) fail('invalid_state', 'The answer has a different state.');
    else if (data.event === 'completed') resolve({ code: data.code, state: data.state });
    else fail(data.error, data.error_description);
  };
  window.addEventListener('message', receive);
  const ended = answer.finally(() => window.removeEventListener('message', receive));
  return { answer: ended, reject, fail, hasReceived: () => hasReceived };
}

function createDialog(frame: HTMLIFrameElement, { closeLabel = 'Close' }: FrameOptions): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', frame.title);
  const size = { width: 'min(28rem, 100vw - 1rem)', maxHeight: 'calc(100dvh - 1rem)' };
  // The page in the frame is light or dark as the user prefers, whatever the page around it is.
  const look = { colorScheme: 'light dark', padding: '0', border: '0', borderRadius: '.75rem', overflow: 'auto' };
  Object.assign(dialog.style, size, look);
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = '×';
  close.setAttribute('aria-label', closeLabel);
  const positionStyle = { position: 'absolute', top: '.25rem', right: '.25rem', width: '2.75rem', height: '2.75rem' };
  Object.assign(close.style, {
    ...positionStyle,
    font: '1.5rem/1 system-ui',
    color: 'CanvasText',
    background: 'none',
    border: '0',
  });
  close.addEventListener('click', () => dialog.close());
  // The frame gets the focus with its page: earlier, it would stay with the empty document.
  dialog.append(close, frame);
  return dialog;
}
