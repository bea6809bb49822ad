/** Generates descriptors as large as real ones; equal seeds give equal descriptors. */

export type Json = Readonly<Record<string, unknown>>;

export interface Random {
  /** An integer from 0 up to but excluding `end`. */
  below(end: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export const VERBS = ['Attach', 'Audit', 'Balance', 'Cancel', 'Check', 'Clone', 'Close', 'Compare', 'Count', 'Expand'];
export const THINGS = [
  'account',
  'batch',
  'cluster',
  'device',
  'event',
  'filter',
  'group',
  'index',
  'job',
  'key',
  'label',
];
const TRAITS = ['active', 'archived', 'default', 'external', 'first', 'global', 'hidden', 'internal', 'last', 'merged'];
export const KINDS = [
  'count',
  'date',
  'limit',
  'name',
  'note',
  'owner',
  'path',
  'rate',
  'score',
  'size',
  'state',
  'weight',
];

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

export function toDescriptor(title: string, paths: Json, schemas: Json): Json {
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths,
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
  };
}

/** An object with this many members, a third of which have one of these schemas. */
export function objectOf(random: Random, size: number, names: readonly string[] = []): Json {
  const members = Array.from({ length: size }, (_, index): [string, Json] => {
    const name = `${random.pick(TRAITS)}_${random.pick(KINDS)}_${index}`;
    const target =
      names.length > 0 && random.below(3) === 0 ? { $ref: `#/components/schemas/${random.pick(names)}` } : null;
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

export function parametersOf(random: Random): Json[] {
  return Array.from({ length: 4 + random.below(4) }, (_, index) =>
    parameter(`${random.pick(TRAITS)}_${KINDS[index] ?? 'other'}`, 'query', random),
  );
}

export function parameter(name: string, place: 'path' | 'query', random: Random): Json {
  const schema = place === 'path' ? { type: 'string' } : scalarOf(random);
  return { name, in: place, required: place === 'path', schema, description: sentence(random, 10) };
}

export function toContent(schema: Json): Json {
  return { content: { 'application/json': { schema } } };
}

export function toPascal(text: string): string {
  return text.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

export function sentence(random: Random, words: number): string {
  const lists = [TRAITS, KINDS, THINGS];
  const text = Array.from({ length: 3 + random.below(words) }, () => random.pick(random.pick(lists))).join(' ');
  return `The ${text}.`;
}

/** A linear congruential generator (Numerical Recipes, §7.1); only its upper bits are used. */
export function createRandom(seed: number): Random {
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
