/** Generates descriptors as large and as interlinked as real ones; equal seeds give equal descriptors. */

type Json = Readonly<Record<string, unknown>>;

interface Random {
  /** An integer from 0 up to but excluding `end`. */
  below(end: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

const VERBS = ['Attach', 'Audit', 'Balance', 'Cancel', 'Check', 'Clone', 'Close', 'Compare', 'Count', 'Expand'];
const THINGS = ['account', 'batch', 'cluster', 'device', 'event', 'filter', 'group', 'index', 'job', 'key', 'label'];
const TRAITS = ['active', 'archived', 'default', 'external', 'first', 'global', 'hidden', 'internal', 'last', 'merged'];
const KINDS = ['count', 'date', 'limit', 'name', 'note', 'owner', 'path', 'rate', 'score', 'size', 'state', 'weight'];

/** A descriptor with this many operations, each with 5 to 8 parameters; three of four have their own request body. */
export function createWideDescriptor(operations: number, seed = 1): Json {
  const random = createRandom(seed);
  const paths: Record<string, unknown> = {};
  for (let number = 0; number < operations; number += 1) {
    const thing = `${random.pick(TRAITS)}-${random.pick(THINGS)}-${number}`;
    const method = number % 4 === 0 ? 'get' : 'post';
    paths[`/${thing}/{id}`] = {
      [method]: {
        operationId: `${random.pick(VERBS)}${toPascal(thing)}`,
        summary: `${random.pick(VERBS)} the ${thing.replaceAll('-', ' ')}`,
        description: sentence(random, 20),
        parameters: [parameter('id', 'path', random), ...parametersOf(random)],
        ...(method === 'get' ? {} : { requestBody: toContent(objectOf(random, 3 + random.below(8))) }),
        responses: { 200: { description: 'Done.', ...toContent(objectOf(random, 4 + random.below(10))) } },
      },
    };
  }
  return toDescriptor('Wide', paths, {});
}

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

function toDescriptor(title: string, paths: Json, schemas: Json): Json {
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths,
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
  };
}

function containerOf(names: readonly string[], random: Random): Json {
  const properties = names.map((name) => [toPascal(name), { ...ref(name), description: sentence(random, 10) }]);
  return { type: 'object', properties: Object.fromEntries(properties), minProperties: 1, maxProperties: 1 };
}

function leafOf(random: Random): Json {
  if (random.below(3) > 0) return objectOf(random, 2 + random.below(5));
  return random.below(2) === 0 ? { type: 'string', enum: KINDS.slice(random.below(5)) } : { type: 'number' };
}

/** An object with this many members, a third of which have one of these schemas. */
function objectOf(random: Random, size: number, names: readonly string[] = []): Json {
  const members = Array.from({ length: size }, (_, index): [string, Json] => {
    const name = `${random.pick(TRAITS)}_${random.pick(KINDS)}_${index}`;
    const target = names.length > 0 && random.below(3) === 0 ? ref(random.pick(names)) : null;
    if (target === null) return [name, { ...scalarOf(random), description: sentence(random, 12) }];
    return [name, random.below(3) === 0 ? { type: 'array', items: target } : target];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: members.slice(0, 1).map(([name]) => name),
  };
}

function scalarOf(random: Random): Json {
  return random.pick<Json>([
    { type: 'string' },
    { type: 'string', maxLength: 80 },
    { type: 'integer', minimum: 0 },
    { type: 'boolean', default: false },
    { type: 'string', enum: KINDS.slice(0, 4) },
    { type: 'array', items: { type: 'string' } },
  ]);
}

function parametersOf(random: Random): Json[] {
  return Array.from({ length: 4 + random.below(4) }, (_, index) =>
    parameter(`${random.pick(TRAITS)}_${KINDS[index] ?? 'other'}`, 'query', random),
  );
}

function parameter(name: string, place: 'path' | 'query', random: Random): Json {
  const schema = place === 'path' ? { type: 'string' } : scalarOf(random);
  return { name, in: place, required: place === 'path', schema, description: sentence(random, 10) };
}

function toContent(schema: Json): Json {
  return { content: { 'application/json': { schema } } };
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function namesOf(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word}${index}`);
}

function toPascal(text: string): string {
  return text.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

function sentence(random: Random, words: number): string {
  const lists = [TRAITS, KINDS, THINGS];
  const text = Array.from({ length: 3 + random.below(words) }, () => random.pick(random.pick(lists))).join(' ');
  return `The ${text}.`;
}

/** A linear congruential generator (Numerical Recipes, §7.1); only its upper bits are used. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('There is nothing to choose from.');
      return item;
    },
  };
}
