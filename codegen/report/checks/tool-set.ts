/** Added, removed and renamed tools, and operations without a tool. */

import { effectEvidence, effectOf } from '../effect.ts';
import { aliasesOf, type MatchedTools } from '../match-tools.ts';
import { callOf } from '../texts.ts';
import type { Finding, ServiceSurface, ToolSurface, UnexposedOperation } from '../types.ts';

/** A finding and the tool that it is about. */
interface ToolFinding {
  readonly finding: Finding;
  readonly tool: ToolSurface | null;
}

/** Added and removed tools, and new operations without a tool. */
export function checkToolSet(
  before: ServiceSurface,
  after: ServiceSurface,
  { removed, added }: MatchedTools,
): ToolFinding[] {
  return [
    ...removed.map((tool) => ({ tool, finding: removal(tool, after) })),
    ...added.map((tool) => ({ tool, finding: toAddition(tool) })),
    ...findNewlyUnexposed(before, after).map((operation) => ({ tool: null, finding: operation })),
  ];
}

/**
 * Returns the finding for a new tool. A tool whose effect was inferred from words needs a separate decision; new tools that may write need one
 * together, and tools that may destroy one for each resource.
 */
export function toAddition(tool: ToolSurface): Finding {
  const effect = effectOf(tool);
  const evidence = effectEvidence(tool);
  if (evidence !== null) {
    const after = `${effect}: ${callOf(tool)}`;
    return { rule: 'effect-inferred', place: 'effect', after, note: evidence, group: tool.name };
  }
  const rule = effect === 'reads' ? 'tool-added' : 'writing-tool-added';
  const group = effect === 'destroys' ? `${effect} ${resourceOf(tool)}` : effect;
  return { rule, place: 'tool', after: callOf(tool), note: effect, group };
}

/**
 * Returns the segment after the first parameters: `agents` for `/v1/orgs/{org}/agents/secrets/{name}`, and without parameters `notes` for
 * `/v1/notes`.
 */
function resourceOf({ name, operation }: ToolSurface): string {
  const path = operation?.path.replace(/^(?:\/api)?(?:\/v\d[^/]*)?(?=\/.)/, '') ?? '';
  const [, nestedResource, topResource] = /^[^{]*(?:\{[^}]*\}\/)+([^/{]+)|^\/([^/{]+)/.exec(path) ?? [];
  return nestedResource ?? topResource ?? name;
}

/** Renames, and old names that still work for a while. `today` is an ISO date. */
export function checkNames(before: ToolSurface, after: ToolSurface, today: string): Finding[] {
  const [old, now] = [aliasesOf(before), aliasesOf(after)];
  const workingNames = new Set([after.name, ...now.map(({ name }) => name)]);
  const findings: Finding[] = [];
  if (before.name !== after.name) {
    const until = now.find(({ name }) => name === before.name)?.until;
    const group = replacedWords(before.name, after.name);
    const values = { place: 'name', before: before.name, after: after.name, pointer: ['name'], group };
    findings.push(
      until === undefined
        ? { rule: 'tool-renamed', ...values }
        : { rule: 'tool-renamed-with-alias', ...values, note: `the old name works until ${until}` },
    );
  }
  for (const { name, until } of old) {
    if (workingNames.has(name)) continue;
    const rule = until < today ? 'alias-ended' : 'alias-removed';
    findings.push({ rule, place: `aliases.${name}`, before: until, pointer: ['aliases'] });
  }
  for (const { name, until } of now) {
    const oldDate = old.find((alias) => alias.name === name)?.until;
    if (name === before.name || oldDate === until) continue;
    const rule = oldDate === undefined ? 'alias-added' : 'alias-date-changed';
    findings.push({ rule, place: `aliases.${name}`, before: oldDate, after: until, pointer: ['aliases'] });
  }
  return findings;
}

/** `github_list_repos` and `gh_list_repos` -> `github -> gh`: a changed prefix is one decision. */
function replacedWords(before: string, after: string): string {
  const [old, now] = [before.split('_'), after.split('_')];
  while (old.length > 1 && now.length > 1 && old.at(-1) === now.at(-1)) {
    old.pop();
    now.pop();
  }
  while (old.length > 1 && now.length > 1 && old[0] === now[0]) {
    old.shift();
    now.shift();
  }
  return `${old.join('_')} -> ${now.join('_')}`;
}

function removal(tool: ToolSurface, after: ServiceSurface): Finding {
  const { operation: removed } = tool;
  if (removed === null) return { rule: 'tool-removed', place: 'tool', before: callOf(tool), group: 'hand-written' };
  const isRemovedOperation = (operation: { method: string; path: string } | null) =>
    operation?.method === removed.method && operation.path === removed.path;
  const unexposed = after.notExposed.find(isRemovedOperation);
  const isCalled = after.tools.some(({ operation }) => isRemovedOperation(operation));
  const note =
    unexposed !== undefined
      ? `no longer exposed: ${unexposed.reason}`
      : isCalled
        ? 'another tool still calls the operation'
        : 'the operation is gone from the descriptor';
  return { rule: 'tool-removed', place: 'tool', before: callOf(tool), note, group: note };
}

function findNewlyUnexposed(before: ServiceSurface, after: ServiceSurface): Finding[] {
  const knownBefore = new Set([...before.notExposed.map(toCallText), ...before.tools.map(callOf)]);
  const exposed = new Set(after.tools.map(callOf));
  return after.notExposed
    .filter(
      (operation) =>
        !operation.isOutside && !knownBefore.has(toCallText(operation)) && !exposed.has(toCallText(operation)),
    )
    .map((operation) => ({
      rule: 'operation-not-exposed',
      place: `notExposed.${toCallText(operation)}`,
      after: toCallText(operation),
      note: operation.reason,
      group: 'appeared',
    }));
}

function toCallText({ method, path }: UnexposedOperation): string {
  return `${method} ${path}`;
}
