import { describe, expect, test } from 'vitest';
import { answer, build, operation, parameter, service } from '../service.ts';

const schema = { type: 'object', properties: { id: { type: 'string' }, status: { type: 'string' } } };
const responses = [answer(schema)];
const id = parameter('scan_id', { in: 'path' });
const SHOP = service([
  operation({ id: 'scan', method: 'POST', path: '/scans', responses }),
  operation({ id: 'getScan', path: '/scans/{scan_id}/state', parameters: [id], responses }),
  operation({ id: 'stopScan', method: 'DELETE', path: '/scans/{scan_id}', parameters: [id], responses }),
]);
const waiting = (wait: object, more: object = {}) =>
  build(SHOP, { ...more, tools: { shop_scan: { operation: 'scan', wait } } });
const BY_MEMBER = { tool: 'shop_get_scan', arguments: { scanId: '/id' }, state: '/status', until: ['ready'] };

describe('a wait', () => {
  test('is emitted, and said in the default description', () => {
    const { connector, codes } = waiting(BY_MEMBER);
    const tool = connector.tools.find(({ name }) => name === 'shop_scan');
    expect(tool?.wait).toEqual({ ...BY_MEMBER, failed: [] });
    expect(tool?.description).toContain('then answers as shop_get_scan.');
    expect(tool?.outputSchema).toEqual({ type: 'object' });
    expect(codes).not.toContain('config-wait');
  });

  test('without arguments reads them from the address by the path of the reading tool', () => {
    const { connector } = waiting({ tool: 'shop_get_scan' });
    expect(connector.tools.find(({ name }) => name === 'shop_scan')?.wait).toEqual({
      tool: 'shop_get_scan',
      location: { scanId: 1 },
      until: [],
      failed: [],
    });
  });

  test.each([
    ['an unknown tool', { ...BY_MEMBER, tool: 'shop_get_scans' }, 'There is no tool shop_get_scans.'],
    ['a tool that writes', { ...BY_MEMBER, tool: 'shop_stop_scan' }, 'shop_stop_scan changes data'],
    ['an unknown argument', { ...BY_MEMBER, arguments: { scanId: '/id', x: '/id' } }, 'has no argument x'],
    ['an unknown place', { ...BY_MEMBER, arguments: { scanId: '/key' } }, 'has no /key'],
    ['an argument that it lacks', { ...BY_MEMBER, arguments: { scanId: 'key' } }, 'shop_scan has no argument key'],
    ['a missing argument', { ...BY_MEMBER, arguments: {} }, 'shop_get_scan needs the argument scanId'],
    ['an unknown state', { ...BY_MEMBER, state: '/state' }, 'has no /state'],
  ])('refuses %s', (_, wait, want) => {
    const { problems } = waiting(wait);
    expect(problems.filter(({ code }) => code === 'config-wait').map(({ message }) => message)).toEqual([
      expect.stringContaining(want),
    ]);
  });

  test('refuses a state that never leaves', () => {
    const { problems } = waiting(BY_MEMBER, { defaults: { withhold: { status: 'drop' } } });
    expect(problems.map(({ message }) => message)).toContain('shop_get_scan withholds /status.');
  });
});
