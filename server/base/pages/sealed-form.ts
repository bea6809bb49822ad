/** A page's form: the state that it carries between steps is sealed for the browser that began, and opens for no other. */

import type { z } from 'zod';
import type { EncryptionKey } from '../credentials/index.ts';
import { createValueSealer } from '../credentials/sealed-value.ts';
import { readForm } from '../http/exchange.ts';
import type { GatewayContext } from '../http/state.ts';
import { checkSameSite } from './check-same-site.ts';
import { createBrowserIds } from './cookie.ts';
import { PageError } from './page-errors.ts';

/** The hidden field with the form's state. */
export const PAGE_STATE_FIELD = 'page_state';

/** Rules for the state of one page's form. */
interface PageStateRules<State> {
  /** Identifies the page: no page opens the state of another. */
  readonly purpose: string;
  readonly schema: z.ZodType<State>;
  /** Time that the page may stay open. */
  readonly ttlSeconds: number;
  /**
   * Returns true for a page in a frame of another site, where browsers send no cookies. Then anyone who has the page may send its form, but only from
   * a page of the gateway. Default: never.
   */
  readonly isFramed?: (pageState: State) => boolean;
  /** Largest form. Default: far more than a page state with the longest OAuth state and redirect URI. */
  readonly maxFormBytes?: number;
}

/** A form that was sent. `refusal`: its state does not open for this browser, or is too old. */
type SentForm<State> =
  | { readonly form: URLSearchParams; readonly sealed: string; readonly pageState: State; readonly refusal: null }
  | { readonly form: URLSearchParams; readonly refusal: PageError };

/** Seals and reads the form of one page. */
export interface SealedForm<State> {
  /** Seals for the browser of the request; the answer sets its cookie. */
  seal(ctx: GatewayContext, pageState: State): string;
  /**
   * @throws {PageError} 403 for forms of other sites.
   * @throws {RequestError} 413 and 415, as `readForm`.
   */
  read(ctx: GatewayContext): Promise<SentForm<State>>;
  /**
   * Opens what was sealed for the browser of the request.
   *
   * @throws {PageError} 400 if it does not open for this browser, or is too old.
   */
  open(ctx: GatewayContext, sealed: string): State;
}

const MAX_FORM_BYTES = 65_536;

/** Holder of the state of framed pages. No browser has this id. */
const FRAMED = 'framed';

/** @param options.publicUrl the gateway's origin. @param options.now milliseconds since 1970. */
export function createSealedForm<State>(
  options: PageStateRules<State> & { keys: readonly EncryptionKey[]; publicUrl: string; now: () => number },
): SealedForm<State> {
  const { keys, purpose, schema, ttlSeconds, isFramed, maxFormBytes = MAX_FORM_BYTES, publicUrl, now } = options;
  const sealer = createValueSealer({ keys, purpose });
  const browserIds = createBrowserIds(publicUrl);
  const findFramed = (ctx: GatewayContext, sealed: string): State | null => {
    if (isFramed === undefined || ctx.get('Sec-Fetch-Site') !== 'same-origin') return null;
    const opened = schema.safeParse(sealer.open(sealed, { holder: FRAMED, now: now() }));
    return opened.success ? opened.data : null;
  };
  const find = (ctx: GatewayContext, sealed: string): State | PageError => {
    const pageState = findFramed(ctx, sealed);
    if (pageState !== null) return pageState;
    const browserId = browserIds.read(ctx);
    if (browserId === null) return cookieMissing();
    const opened = schema.safeParse(sealer.open(sealed, { holder: browserId, now: now() }));
    return opened.success ? opened.data : pageTooOld();
  };
  return {
    seal: (ctx, pageState) =>
      sealer.seal(pageState, {
        holder: isFramed?.(pageState) === true ? FRAMED : browserIds.ensure(ctx),
        expiresAt: now() + ttlSeconds * 1000,
      }),
    async read(ctx) {
      checkSameSite((header) => ctx.get(header), publicUrl);
      const form = await readForm(ctx.req, { maxBytes: maxFormBytes });
      const sealed = form.get(PAGE_STATE_FIELD) ?? '';
      const pageState = find(ctx, sealed);
      return pageState instanceof PageError ? { form, refusal: pageState } : { form, sealed, pageState, refusal: null };
    },
    open(ctx, sealed) {
      const pageState = find(ctx, sealed);
      if (pageState instanceof PageError) throw pageState;
      return pageState;
    },
  };
}

/** The refusal of a form without usable state. */
export function pageTooOld(): PageError {
  return new PageError(400, {
    title: 'This page is too old',
    text: 'It was open for too long, or was opened in another browser. Nothing was saved.',
    advice: 'Go back to the application and start again.',
  });
}

function cookieMissing(): PageError {
  return new PageError(400, {
    title: 'Cookies are needed',
    text: 'Your browser did not send the cookie of this page, so nothing was changed.',
    advice: 'Allow cookies for this site, go back to the application, and start again.',
  });
}
