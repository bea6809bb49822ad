import { describe, expect, test } from 'vitest';
import type { CredentialPart } from '../../../codegen/tools/types.ts';
import { nameOfService, toLabel } from '../../../scripts/connector/proposals/labels.ts';

describe('labels', () => {
  const part = (
    type: 'bearer' | 'basic' | 'header' | 'oauth2',
    id: string,
    label: string,
    name: string | null = null,
  ) => ({ id, type, label, name }) as CredentialPart;
  test.each<[CredentialPart, title: string, want: string]>([
    [part('bearer', 'personalAccessToken', 'Access token'), 'Asana', 'Asana personal access token'],
    [part('bearer', 'bearerAuth', 'Access token'), 'Zoom API', 'Zoom access token'],
    [part('header', 'auth', 'API key', 'X-Figma-Token'), 'Figma API', 'Figma token'],
    [part('header', 'auth', 'API key', 'X-Secret-Token'), 'Figma API', 'Figma secret token'],
    [part('header', 'ApiKeyAuth', 'API key', 'X-API-Key'), 'Slack Web API', 'Slack API key'],
    [
      part('basic', 'basicAuth', 'User name and password'),
      'Mailchimp Marketing API',
      'Mailchimp Marketing user name and password',
    ],
    [part('header', 'apikey_header_Gram-Key', 'API key', 'Gram-Key'), 'Gram API', 'Gram API key'],
    [part('header', 'pat_token', 'API key', 'X-Pat-Token'), 'Notes', 'Notes personal access token'],
    [part('bearer', 'x', 'Access token'), 'Acme Access Token', 'Acme Access Token'],
    [part('oauth2', 'x', 'Account'), 'Shop Accounts', 'Shop Accounts'],
    [part('oauth2', 'oauth_token', 'Account'), 'Box Platform API', 'Box account'],
    [part('bearer', 'x', 'Access token'), 'A title that is so long that nobody would call it that', 'Access token'],
  ])('%j of %s', (one, title, want) => {
    expect(toLabel(one, title, [one])).toBe(want);
  });

  test.each([
    ['Control API', 'https://control.ably.net/v1', 'Ably Control'],
    ['Platform API', 'https://api.notes.co.uk', 'Notes Platform'],
    ['Customers API', 'https://api.notes.co.uk', 'Notes Customers'],
    ['Zoom API', 'https://api.zoom.us', 'Zoom'],
    ['Control API', '{base_url}', 'Control'],
  ])('of %s at %s name the service %s', (title, url, want) => {
    expect(nameOfService({ title, servers: [{ url, variables: [] }] })).toBe(want);
  });

  test('of several keys are their scheme names', () => {
    const keys = [part('header', 'clientId', 'API key', 'A'), part('header', 'secret', 'API key', 'PLAID-SECRET')];
    expect(keys.map((key) => toLabel(key, 'The Plaid API', keys))).toEqual(['Plaid client ID', 'Plaid secret']);
  });

  test.each([
    ['The Plaid API', 'Plaid'],
    ['Zoom API v2', 'Zoom'],
    ['Notes - public', 'Notes'],
    ['API', 'API'],
  ])('%s is %s', (title, want) => {
    expect(nameOfService({ title, servers: [] })).toBe(want);
  });
});
