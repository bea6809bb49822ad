import { describe, expect, test } from 'vitest';
import { build, needs, operation, service } from '../service.ts';

/** The prefix of the key of a service whose security scheme is described in these words. */
function prefixIn(description: string): unknown {
  const scheme = {
    id: 'key',
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description,
    pointer: '/key',
  } as const;
  const security = [needs('key')];
  const { connector } = build(service([operation({ security })], { securitySchemes: [scheme], security }));
  const [part] = connector.credential.parts;
  expect(part).toMatchObject({ type: 'header', name: 'Authorization' });
  return part !== undefined && 'prefix' in part ? part.prefix : undefined;
}

describe('the prefix of a key in a header', () => {
  test.each([
    ['API key: `Authorization: Token <api_key>`', 'Token '],
    ['Set the header "Authorization: GenieKey {apiKey}".', 'GenieKey '],
    ['Authorization: Token token=YOUR_API_KEY', 'Token token='],
    ['Example: Authorization: Klaviyo-API-Key your-private-api-key', 'Klaviyo-API-Key '],
    ["Enter 'Bearer {token}' to sign in.", 'Bearer '],
    ['curl -H "Authorization: SSWS $API_TOKEN"', 'SSWS '],
    ['Token-based authentication with required prefix "Token"', 'Token '],
    ['The key, prefixed with `Api-Key `.', 'Api-Key '],
    ['`Bot <token>`, as in Authorization: Bot xxxxxxxx', 'Bot '],
  ])('is found in the description: %s', (text, want) => {
    expect(prefixIn(text)).toBe(want);
  });

  test.each([
    [''],
    ['Your API key.'],
    ['Authorization: <api_key>'],
    ['Authorization: YOUR_API_KEY'],
    ['`Token <key>` for users, `Bot <key>` for bots.'],
    ['Pass your <key> in the header.'],
    ['X-Other: Token <key>'],
    ['Authorization: Token abc or anything else'],
  ])('is not guessed: %s', (text) => {
    expect(prefixIn(text)).toBeUndefined();
  });
});
