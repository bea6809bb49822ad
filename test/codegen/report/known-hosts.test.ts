import { describe, expect, test } from 'vitest';
import { isKnownUrl, vendorDomains } from '../../../codegen/report/known-hosts.ts';
import { serviceSurface } from './surface.ts';

describe('the domains of a vendor', () => {
  test.each<[string, object[], string[]]>([
    ['include those of its base URLs', [{ url: 'https://api.example.co.uk/v1' }], ['example.co.uk']],
    [
      'include those of variable defaults',
      [{ url: '{base}', variables: [{ default: 'https://{region}.api.acme.com' }] }],
      ['acme.com'],
    ],
    ['include only its own name on a shared host', [{ url: 'https://notes.github.io' }], ['notes.github.io']],
    ['do not include addresses', [{ url: 'http://10.0.0.1' }, { url: 'http://localhost:8080' }], []],
  ])('%s', (_, given, want) => {
    expect([...vendorDomains(serviceSurface([], { members: { servers: given } }))]).toEqual(want);
  });
});

describe('a URL of acme.com', () => {
  const vendor = new Set(['acme.com', 'notes.github.io']);

  test.each([
    'https://acme.com/docs',
    'https://docs.acme.com/a?b=c#d',
    'www.acme.com',
    'https://notes.github.io/help',
    'https://datatracker.ietf.org/doc/html/rfc3339#section-5',
    'https://en.wikipedia.org/wiki/ISO_4217',
  ])('%s is known', (url) => {
    expect(isKnownUrl(url, vendor)).toBe(true);
  });

  test.each([
    'https://acme.com.evil.example/docs',
    'https://acme.com@evil.example/docs',
    'https://user:secret@docs.acme.com/',
    'https://docs.acme.com:8443/',
    'https://evil.github.io/help',
    'https://acme-docs.example',
    'javascript:alert(1)//acme.com',
    'data:text/html,acme.com',
    'https://xn--acm-dma.com',
  ])('%s is not', (url) => {
    expect(isKnownUrl(url, vendor)).toBe(false);
  });
});
