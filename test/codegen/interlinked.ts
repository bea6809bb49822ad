import {
  createRandom,
  type Json,
  KINDS,
  objectOf,
  parameter,
  parametersOf,
  type Random,
  sentence,
  THINGS,
  toContent,
  toDescriptor,
  toPascal,
  VERBS,
} from './synthetic-descriptor.ts';

/**
 * A descriptor with this many operations on shared schemas that refer to one another, like query languages: a container names every query,
 * and most queries contain the container again; so do aggregations, and both refer to the same scripts, fields and options.
 */
export function createTangledDescriptor(operations: number, seed = 1): Json {
  const random = createRandom(seed);
  const leaves = namesOf('Option', 120);
  const queries = namesOf('Query', 90);
  const aggregations = namesOf('Aggregation', 110);
  const results = namesOf('Result', 220);
  const containers = ['QueryContainer', 'AggregationContainer', 'Script', 'Sort', 'Property'];
  const schemas: Record<string, unknown> = {
    QueryContainer: containerOf(queries, random),
    AggregationContainer: {
      ...containerOf(aggregations, random),
      description: sentence(random, 25),
    },
    Script: { oneOf: [{ type: 'string' }, objectOf(random, 5, leaves)] },
    Sort: {
      oneOf: [{ type: 'string' }, { type: 'array', items: ref('Sort') }, objectOf(random, 4, [...leaves, 'Script'])],
    },
    Property: { oneOf: leaves.slice(0, 40).map(ref), description: sentence(random, 12) },
  };
  for (const name of leaves) schemas[name] = leafOf(random);
  for (const [names, container] of [
    [queries, 'QueryContainer'],
    [aggregations, 'AggregationContainer'],
  ] as const) {
    for (const name of names) {
      const own = objectOf(random, 3 + random.below(8), [...leaves, container, ...containers, random.pick(names)]);
      schemas[name] = random.below(3) === 0 ? { allOf: [ref(random.pick(leaves)), own] } : own;
    }
  }
  for (const name of results)
    schemas[name] = objectOf(random, 4 + random.below(12), [...leaves, ...results.slice(0, 40)]);
  const paths: Record<string, unknown> = {};
  for (let number = 0; number < operations; number += 1) {
    const thing = `${random.pick(THINGS)}-${number}`;
    const own = objectOf(random, 4 + random.below(16), [...leaves, ...containers, ...queries.slice(0, 5)]);
    const body = {
      ...own,
      properties: {
        query: ref('QueryContainer'),
        aggregations: ref('AggregationContainer'),
        ...(own.properties as Json),
      },
    };
    paths[`/${thing}/{id}`] = {
      [number % 5 === 0 ? 'get' : 'post']: {
        operationId: `${random.pick(VERBS)}${toPascal(thing)}`,
        description: sentence(random, 20),
        parameters: [parameter('id', 'path', random), ...parametersOf(random)],
        ...(number % 5 === 0 ? {} : { requestBody: toContent(body) }),
        responses: { 200: { description: 'Done.', ...toContent(ref(random.pick(results))) } },
      },
    };
  }
  return toDescriptor('Tangled', paths, schemas);
}

/**
 * One operation on a schema that offers the next one twice, for this many levels: its expanded size doubles with each level.
 */
export function createDiamondDescriptor(levels: number): Json {
  const schemas = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `Level${level}`,
      {
        oneOf: ['left', 'right'].map((side) => ({
          type: 'object',
          required: [side],
          properties: { [side]: level + 1 < levels ? ref(`Level${level + 1}`) : { type: 'string' } },
        })),
      },
    ]),
  );
  return toDescriptor('Diamond', onePath('Level0'), schemas);
}

/** One operation on this many schemas, each of which refers to all the others. */
export function createCircleDescriptor(size: number): Json {
  const names = namesOf('Node', size);
  const schemas = Object.fromEntries(
    names.map((name) => [
      name,
      { type: 'object', properties: Object.fromEntries(names.map((other) => [`to${other}`, ref(other)])) },
    ]),
  );
  return toDescriptor('Circle', onePath('Node0'), schemas);
}

function onePath(name: string): Json {
  const responses = { 200: { description: 'Done.', ...toContent(ref(name)) } };
  return { '/things': { post: { operationId: 'createThing', requestBody: toContent(ref(name)), responses } } };
}

function containerOf(names: readonly string[], random: Random): Json {
  const properties = names.map((name) => [toPascal(name), { ...ref(name), description: sentence(random, 10) }]);
  return { type: 'object', properties: Object.fromEntries(properties), minProperties: 1, maxProperties: 1 };
}

function leafOf(random: Random): Json {
  if (random.below(3) > 0) return objectOf(random, 2 + random.below(5));
  return random.below(2) === 0 ? { type: 'string', enum: KINDS.slice(random.below(5)) } : { type: 'number' };
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function namesOf(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word}${index}`);
}
