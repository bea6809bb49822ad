import { describe, expect, test } from 'vitest';
import { findHeaderPrefix } from '../../../../codegen/tools/connector/credential-parts.ts';

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
    expect(findHeaderPrefix('Authorization', text)).toBe(want);
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
    expect(findHeaderPrefix('Authorization', text)).toBeNull();
  });
});
