/** Web pages instead of an API's answer, from a firewall, a proxy or a sign-in page. */

import { cleanText } from '../errors.ts';

/** Whether the body of an error answer is a web page. @param body parsed JSON, else text. */
export function isWebPage(body: unknown, contentType: string | null): boolean {
  if (typeof body !== 'string') return false;
  if (/^\s*(<!doctype\s+html|<html)\b/i.test(body)) return true;
  return /^\s*<[a-z!]/i.test(body) && /^\s*(text\/html|application\/xhtml)/i.test(contentType ?? '');
}

/** The title of a page or another document with markup, or null. */
export function titleOf(page: string): string | null {
  const title = /<title[^<>]*>([^<]{1,200})/i.exec(page)?.[1];
  return title === undefined ? null : cleanText(title);
}

/** Statuses that a firewall in front of the API may send in its place. */
export const FIREWALL_STATUSES: ReadonlySet<number> = new Set([400, 403, 405, 406, 412, 418, 422]);

/** The advice for such a status. */
export const FIREWALL_ADVICE =
  'It comes from a firewall or proxy in front of the API, not from the API: the connected account may well be allowed to do this. Call again later with simpler arguments; if it fails again, tell the user that the operator of the gateway has to investigate.';
