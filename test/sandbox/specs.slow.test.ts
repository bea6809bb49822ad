import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { buildAnswer } from '../../sandbox/answer/build-answer.ts';
import { findDescriptor, listDescribedServices, loadDescriptor } from '../../sandbox/descriptor/load.ts';
import { startSandbox } from '../../sandbox/start.ts';

const SPECS = join(import.meta.dirname, '../../specs');
const names = listDescribedServices(SPECS);
const services = await Promise.all(
  names.map(async (name) => ({ name, document: await loadDescriptor(findDescriptor(SPECS, name)!) })),
);
const sandbox = await startSandbox({ services });
afterAll(() => sandbox.close());

describe.each(names)('the descriptor of %s', (name) => {
  const { descriptor, checks } = sandbox.services.get(name)!;

  test.each(descriptor.operations.map((operation) => [operation.id, operation] as const))(
    '%s requires a credential',
    async (_, { method, route, parameters }) => {
      const path = route.replaceAll(/\{([^{}]+)\}/g, '1');
      const query = parameters.filter(({ in: place, required }) => place === 'query' && required);
      const url = `${sandbox.origin}/${name}${path}?${query.map((parameter) => `${parameter.name}=1`).join('&')}`;
      const response = await fetch(url, { method });
      expect(response.status).toBe(401);
      expect(await response.json()).toBeTypeOf('object');
    },
  );

  test.each(descriptor.operations.map((operation) => [operation.id, operation] as const))(
    '%s has an answer that fits its schema',
    (_, operation) => {
      const answer = buildAnswer(operation, descriptor, checks);
      expect(checks.checkAnswer(operation, answer.status, answer.body)).toEqual([]);
      expect(answer.status).toBeGreaterThanOrEqual(200);
      expect(answer.status).toBeLessThan(300);
    },
  );
});
