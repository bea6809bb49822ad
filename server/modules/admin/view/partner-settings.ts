/** The settings of a partner, for operators who cannot change them. */

import { facts } from '../../../base/pages/components.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Partner } from '../../../base/store/repositories/partners.ts';
import { untrusted } from './parts.ts';

export function partnerSettings({
  redirectUris,
  connectUri,
  logoText,
  accentColor,
  logoHash,
  services,
  plainLinks,
}: Partner): Html {
  const code = (text: string) => html`<code>${text}</code>`;
  return facts([
    {
      term: 'Redirect URIs',
      value: redirectUris.length === 0 ? 'none' : redirectUris.map((uri) => html`<div>${code(uri)}</div>`),
    },
    { term: 'Connect URI', value: connectUri === null ? 'none' : code(connectUri) },
    { term: 'Logo text', value: untrusted(logoText, 'none') },
    { term: 'Logo', value: logoHash === null ? 'none' : 'uploaded' },
    { term: 'Accent colour', value: accentColor ?? 'none' },
    { term: 'Services that the partner may offer', value: services === null ? 'all' : services.join(', ') || 'none' },
    { term: 'Plain connect links', value: plainLinks ? 'allowed' : 'off: connect sessions only' },
  ]);
}
