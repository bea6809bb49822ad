import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DONE, type Service, startService } from './service.ts';

const header = (name: string, required = true) => ({ name, in: 'header', required, schema: { type: 'string' } });
const get = (operationId: string, ...parameters: object[]) => ({ get: { operationId, parameters, ...DONE } });
const OWN = ['User-Agent', 'host', 'Content-Length', 'Connection', 'Accept-Encoding', 'Accept', 'Authorization'];

let service: Service;
beforeAll(async () => {
  service = await startService({
    paths: {
      '/required': get('required', ...OWN.map((name) => header(name)), header('X-Tenant')),
      '/optional': get('optional', header('User-Agent', false), header('Cookie', false)),
      '/chunked': get('chunked', header('Transfer-Encoding')),
    },
  });
}, 60_000);
afterAll(() => service?.close());

describe('headers that the gateway or HTTP fills', () => {
  test('are not arguments, and a diagnostic says what is sent for a required one', () => {
    expect(service.errors).toEqual([]);
    const inputs = service.connector.tools.map(({ name, inputSchema }) => [name, inputSchema.required]);
    expect(inputs).toEqual([
      ['forms_optional', []],
      ['forms_required', ['xTenant']],
    ]);
    expect(service.diagnostics.filter((line) => line.startsWith('parameter-filled'))).toEqual([
      'parameter-filled forms_required does not offer User-Agent: it is sent as the name and version of the gateway.',
      'parameter-filled forms_required does not offer host: it is sent as the host of the base URL.',
      'parameter-filled forms_required does not offer Content-Length: it is sent as the size of the body.',
      'parameter-filled forms_required does not offer Connection: it is sent as HTTP needs it.',
      'parameter-filled forms_required does not offer Accept-Encoding: it is sent as the content codings that the gateway reads.',
    ]);
  });

  test('are refused with their operation if the gateway cannot fill them', () => {
    expect(service.diagnostics).toContainEqual(expect.stringContaining('needs the header Transfer-Encoding'));
  });

  test('are sent with the values of the gateway', async () => {
    const { headers } = await service.host.call('forms_required', { xTenant: 't' });
    expect(headers).toMatchObject({ 'user-agent': 'gateway-test/1.0', 'x-tenant': 't' });
  });
});
