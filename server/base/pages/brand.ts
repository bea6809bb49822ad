/** How pages show a partner: by its logo or initials next to its name, and its accent colour. */

import type { Connector } from '../../contract/index.ts';
import type { Partner } from '../store/repositories/partners.ts';
import { edgeOn, textOn } from './contrast.ts';
import { type Html, html } from './html.ts';
import { shownName, toPlainText } from './plain-text.ts';
import { GROUNDS } from './style.ts';

/** What a page needs of the partner. */
export type Brand = Pick<Partner, 'clientId' | 'accentColor' | 'logoHash' | 'logoText' | 'suspendedAt'>;

/** Path of the logos. */
export const LOGO_PATH = '/brand';

/** Path of the partner's logo; null: it has none, or is suspended. The hash gives each image its own address. */
export function logoPathOf({
  clientId,
  logoHash,
  suspendedAt,
}: Pick<Brand, 'clientId' | 'logoHash' | 'suspendedAt'>): string | null {
  return logoHash === null || suspendedAt !== null ? null : `${LOGO_PATH}/${encodeURIComponent(clientId)}/${logoHash}`;
}

/**
 * The partner's logo, or its initials; null: neither. Show the name next to it: a screen reader does not read a logo, and a logo
 * proves nothing, because partners choose it. It is square and small, so that no sentence in it is legible.
 */
export function markOf(brand: Brand): Html | null {
  const path = logoPathOf(brand);
  if (path !== null) return html`<img class="logo" src="${path}" alt="" width="40" height="40">`;
  const initials = brand.logoText === null ? null : toPlainText(brand.logoText, 3);
  return initials === null ? null : html`<span class="logo" aria-hidden="true">${initials}</span>`;
}

/** The partner's name, safe to show. */
export function partnerNameOf({ name }: Pick<Partner, 'name'>): string {
  return shownName(name) ?? 'An application without a name';
}

/** Path of the logos of services. */
export const SERVICE_LOGO_PATH = '/services';

/** Path of a service's logo; null: it has none. */
export function serviceLogoPathOf({ name, logo }: Pick<Connector, 'name' | 'logo'>): string | null {
  return logo === undefined ? null : `${SERVICE_LOGO_PATH}/${name}/logo/${logo.hash}`;
}

/** The logo of a service, or nothing. Show its title next to it. @param path the result of `serviceLogoPathOf`. */
export function serviceMarkOf(path: string | null): Html | null {
  return path === null ? null : html`<img class="logo" src="${path}" alt="" width="40" height="40">`;
}

/** Adds the accent colour to a page's style sheet. Text on it is black or white, and its edges are visible in light and dark mode. */
export function accentStyle({ accentColor }: Pick<Brand, 'accentColor'>): string {
  if (accentColor === null || !/^#[0-9a-f]{6}$/.test(accentColor)) return '';
  const { light, dark } = GROUNDS;
  return `
:root { --brand: ${accentColor}; --brand-text: ${textOn(accentColor)}; --brand-edge: ${edgeOn(accentColor, [light.card, light.page])}; }
@media (prefers-color-scheme: dark) { :root { --brand-edge: ${edgeOn(accentColor, [dark.card, dark.page])}; } }
main { border-top: .25rem solid var(--brand-edge); }
.logo { color: var(--brand-text); background: var(--brand); }
button.primary { color: var(--brand-text); background: var(--brand); border: 2px solid var(--brand-edge); }
button.primary:hover { background: var(--brand); border-color: var(--text); }
:focus-visible { outline-color: var(--brand-edge); }
`;
}
