import { beforeEach, describe, expect, test } from 'vitest';
import { STYLE, STYLE_PATH } from '../../../../server/base/pages/style.ts';
import { givenApp } from '../../app-server.ts';

const given = givenApp();
beforeEach(() => given.start());

describe('the style sheet of pages', () => {
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('comes as %s, for good', async (accepted, encoding) => {
    const response = await given.send(STYLE_PATH, { headers: { 'Accept-Encoding': accepted } });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, encoding]);
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.text()).toBe(STYLE);
  });

  test('of another version of the gateway is the one that is there, and is not kept', async () => {
    const response = await given.send('/api/mcp/style-0123456789abcdef.css');
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await response.text()).toBe(STYLE);
  });
});
