/** Reads the rules file: YAML, by group what its people may use. */

import { readFileSync } from 'node:fs';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { APPROVALS, CATALOGUES, EFFECTS, type Rule, type Rules } from './access.ts';

/** The rules file cannot be used. The message names every place. */
export class RulesError extends Error {
  override readonly name = 'RulesError';
}

const MAX_BYTES = 1024 * 1024;

/** The gateway takes 16,384 bytes for all rules of a person together. */
const MAX_RULE_BYTES = 16_000;

const names = z.array(z.string().min(1).max(100)).max(500);

/** Members as people write them. Without `services`, a rule is for every service; without `effects`, its tools only read. */
const RULE = z
  .strictObject({
    services: names.min(1, 'must name a service: leave it out for every service').optional(),
    effects: z
      .array(z.enum(EFFECTS, { error: `must be some of ${EFFECTS.join(', ')}` }))
      .min(1, `must be some of ${EFFECTS.join(', ')}`)
      .optional(),
    tools: names.min(1, 'must name a tool: leave it out for every tool').optional(),
    accounts: z
      .record(z.string(), z.array(z.string().min(1).max(200)).min(1, 'must name an account').max(100))
      .optional(),
    approval: z.array(z.enum(APPROVALS, { error: `must be some of ${APPROVALS.join(', ')}` })).optional(),
    catalogue: z.enum(CATALOGUES, { error: `must be one of ${CATALOGUES.join(', ')}` }).optional(),
    admin: z.boolean({ error: 'must be true or false' }).optional(),
  })
  .superRefine((rule, { addIssue }) => {
    const { services, accounts = {} } = rule;
    if (Buffer.byteLength(JSON.stringify(rule)) > MAX_RULE_BYTES) {
      const message = `has more than the ${MAX_RULE_BYTES} bytes that the gateway can keep: name fewer tools or accounts`;
      addIssue({ code: 'custom', message });
    }
    // A misspelt service would limit nothing.
    for (const service of Object.keys(accounts)) {
      if (services?.includes(service) === false)
        addIssue({ code: 'custom', path: ['accounts', service], message: 'must be one of services' });
    }
  });

const FILE = z.strictObject({
  groups: z.record(z.string().min(1), RULE, { error: 'must be a map: the names of groups with their rules' }),
  default: RULE.optional(),
});

/** @throws {RulesError} for a file that cannot be read, or is no rules file. */
export function loadRules(path: string): Rules {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new RulesError(`names ${path}, which cannot be read (${code})`);
  }
  return parseRules(text, path);
}

/**
 * Reads the text of a rules file.
 *
 * @param path for errors. @throws {RulesError} with the line, the path in the document and the fix of each problem.
 */
export function parseRules(text: string, path: string): Rules {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new RulesError(`names ${path}, which is larger than 1 MiB`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const [sentence = ''] = broken.message.split('\n');
    throw new RulesError(`names ${path}, which is no YAML: ${sentence.replace(/:$/, '')}`);
  }
  const parsed = FILE.safeParse(toValues(document, path));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const place = issue.path.map(String);
      return `  ${path}:${lineOf(place)}: ${[place.join('.'), explain(issue)].filter((part) => part !== '').join(' ')}`;
    });
    throw new RulesError(`names a file that cannot be used:\n${problems.join('\n')}`);
  }
  const { groups, default: otherwise } = parsed.data;
  return {
    groups: new Map(Object.entries(groups).map(([group, rule]) => [group, toRule(rule)])),
    default: otherwise === undefined ? null : toRule(otherwise),
  };

  /** The line of the nearest part of the document that is there, from 1. */
  function lineOf(place: readonly string[]): number {
    for (let length = place.length; length >= 0; length -= 1) {
      const node = length === 0 ? document.contents : document.getIn(place.slice(0, length), true);
      if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
    }
    return 1;
  }
}

/** @throws {RulesError} for an alias of something that is not there, and for too many aliases. */
function toValues(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new RulesError(`names ${path}, which is no YAML: ${error.message}`);
  }
}

function explain(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const allowed = issue.path.length === 0 ? Object.keys(FILE.shape) : Object.keys(RULE.shape);
    return `has the unknown member ${issue.keys.join(', ')}: use ${allowed.join(', ')}`;
  }
  if (issue.code === 'invalid_type' && issue.path.length === 0) return 'must be a map with the member groups';
  return issue.message.replace(/^Invalid input: expected/, 'must be');
}

function toRule(rule: z.output<typeof RULE>): Rule {
  const accounts = Object.entries(rule.accounts ?? {});
  return {
    services: rule.services ?? null,
    effects: EFFECTS.filter((effect) => rule.effects?.includes(effect) ?? effect === 'reads'),
    tools: rule.tools ?? null,
    accounts: Object.fromEntries(accounts),
    approval: APPROVALS.filter((kind) => rule.approval?.includes(kind)),
    catalogue: rule.catalogue ?? null,
    admin: rule.admin ?? false,
  };
}
