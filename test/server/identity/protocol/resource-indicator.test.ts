import { describe, expect, test } from 'vitest';
import { checkResources, isOwnResource } from '../../../../server/identity/protocol/resource-indicator.ts';

const RESOURCE = 'https://tools.example.com/api/mcp/unified';

describe('resource indicators (RFC 8707 §2)', () => {
  test.each([
    RESOURCE,
    `${RESOURCE}/`,
    'HTTPS://Tools.Example.com/api/mcp/unified',
    'https://tools.example.com:443/api/mcp/unified',
  ])('%s is the gateway', (value) => {
    expect(isOwnResource(value, RESOURCE)).toBe(true);
  });

  test.each([
    'https://tools.example.com',
    'https://tools.example.com/api/mcp',
    'https://tools.example.com/api/mcp/unified/x',
    'https://tools.example.com/API/mcp/unified',
    'https://tools.example.com:8443/api/mcp/unified',
    'http://tools.example.com/api/mcp/unified',
    'https://tools.example.com.evil.example/api/mcp/unified',
    `${RESOURCE}#`,
    `${RESOURCE}#x`,
    `${RESOURCE}?x=1`,
    '/api/mcp/unified',
    'tools',
    '',
  ])('%j is another resource', (value) => {
    expect(isOwnResource(value, RESOURCE)).toBe(false);
  });

  test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://LOCALHOST:3000'])(
    '%s is a local gateway on that port',
    (origin) => {
      expect(isOwnResource(`${origin}/api/mcp/unified`, 'http://127.0.0.1:3000/api/mcp/unified')).toBe(true);
      expect(isOwnResource(`${origin}/api/mcp/unified`, 'http://127.0.0.1:3001/api/mcp/unified')).toBe(false);
      expect(isOwnResource(`${origin}/api/mcp/unified`, RESOURCE)).toBe(false);
    },
  );

  test('none, or the gateway any number of times, is accepted', () => {
    expect(() => checkResources([], RESOURCE)).not.toThrow();
    expect(() => checkResources([RESOURCE, `${RESOURCE}/`], RESOURCE)).not.toThrow();
  });

  test('another resource is refused, even next to the gateway', () => {
    const refusal = { status: 400, code: 'invalid_target', description: `The resource must be ${RESOURCE}.` };
    for (const values of [['https://evil.example'], [RESOURCE, 'https://evil.example']]) {
      expect(() => checkResources(values, RESOURCE)).toThrow(expect.objectContaining(refusal));
    }
  });
});
