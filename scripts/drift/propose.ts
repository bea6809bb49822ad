/** Turns counted drift into actions of an overlay, and adds them to that of the service. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Document, parse, parseDocument, YAMLSeq } from 'yaml';
import { toRecord } from '../../codegen/json.ts';
import type { Connector } from '../../server/contract/index.ts';
import type { DriftSum } from '../../server/store/repositories/calls/drift-tallies.ts';
import { parsePointer, toPointer } from '../../server/tools/json/pointer.ts';
import { type EarlierTypes, type OverlayAction, toActions, toRequiredAction } from './actions.ts';
import { findSites } from './find-schema.ts';

const NAMES = ['openapi.yaml', 'openapi.yml', 'openapi.json'];

/** What is proposed for one service. */
export interface Proposal {
  readonly actions: readonly OverlayAction[];
  /** Drift that no action can be written for, and why. */
  readonly left: readonly { readonly drift: DriftSum; readonly why: string }[];
}

/** Reads the descriptor of a service. @throws where there is none. */
export async function loadDescriptorText(folder: string): Promise<unknown> {
  const name = NAMES.find((one) => existsSync(path.join(folder, one)));
  if (name === undefined) throw new Error(`${folder} has no descriptor.`);
  return parse(await readFile(path.join(folder, name), 'utf8'));
}

/** What the overlay of the folder writes as types already: a later action for the same schema must keep them. */
export async function loadEarlierTypes(folder: string): Promise<EarlierTypes> {
  const file = path.join(folder, 'overlay.yaml');
  const { actions } = toRecord(existsSync(file) ? parse(await readFile(file, 'utf8')) : {});
  const types = (Array.isArray(actions) ? actions : []).flatMap((action): [string, unknown][] => {
    const { target, update } = toRecord(action);
    const { type } = toRecord(update);
    return typeof target === 'string' && type !== undefined ? [[target, type]] : [];
  });
  return new Map(types);
}

/** Each schema is changed once, for all that was found there. */
export function buildProposal(
  descriptor: unknown,
  connector: Connector,
  drifts: readonly DriftSum[],
  earlier: EarlierTypes = new Map(),
): Proposal {
  const isOpenApi30 = String(toRecord(descriptor).openapi).startsWith('3.0');
  const actions = new Map<string, OverlayAction>();
  const left: { drift: DriftSum; why: string }[] = [];
  for (const drift of drifts) {
    const tool = connector.tools.find(({ name }) => name === drift.tool);
    if (tool === undefined) {
      left.push({ drift, why: 'the tool is not generated any more, or hand-written' });
      continue;
    }
    const { keyword } = drift;
    const alike = drifts.filter(
      (one) => one.tool === drift.tool && one.place === drift.place && one.keyword === keyword,
    );
    const found = [...new Set(alike.map((one) => one.found))].sort();
    const because = explain(drift, found, alike);
    const tokens = parsePointer(drift.place);
    const sites = findSites(descriptor, tool, keyword === 'required' ? toPointer(tokens.slice(0, -1)) : drift.place);
    const own = sites.flatMap((site) => {
      if (keyword !== 'required')
        return toActions({ ...site, schema: site.value, isOpenApi30, keyword, found, because, earlier });
      const name = tokens.at(-1) ?? '';
      const { required } = site.value;
      return Array.isArray(required) && required.includes(name) ? [toRequiredAction(site.path, name, because)] : [];
    });
    if (own.length === 0) left.push({ drift, why: whyNot(sites.length) });
    for (const action of own) {
      const key = `${action.target} ${action.remove === true}`;
      if (!actions.has(key)) actions.set(key, action);
    }
  }
  return { actions: [...actions.values()], left };
}

function explain({ tool, place, keyword }: DriftSum, found: readonly string[], alike: readonly DriftSum[]): string {
  const answers = alike.reduce((sum, one) => sum + one.answers, 0);
  return `${answers} answers of ${tool} had ${found.join(' or ')} at ${place || 'the root'}, which "${keyword}" refuses.`;
}

function whyNot(sites: number): string {
  return sites === 0
    ? 'the descriptor itself says nothing of this place: another file does, or the connector'
    : 'no schema of this place has the keyword: something around it refuses the answer';
}

/**
 * Adds the actions to `overlay.yaml` of the folder (OpenAPI Overlay 1.0.0), and makes it where there is none. What stands in it stays
 * as it is written; an action that is there already is not added again.
 *
 * @returns how many were added.
 */
export async function writeOverlay(folder: string, title: string, actions: readonly OverlayAction[]): Promise<number> {
  const file = path.join(folder, 'overlay.yaml');
  const document = existsSync(file)
    ? parseDocument(await readFile(file, 'utf8'))
    : new Document({
        overlay: '1.0.0',
        info: { title: `Repairs of the descriptor of ${title}`, version: '1.0.0' },
        actions: [],
      });
  const known = toRecord(document.toJS()).actions;
  const targets = new Set(Array.isArray(known) ? known.map(toKey) : []);
  const added = actions.filter((action) => !targets.has(toKey(action)));
  if (added.length === 0) return 0;
  if (!(document.get('actions') instanceof YAMLSeq)) document.set('actions', new YAMLSeq());
  for (const action of added) document.addIn(['actions'], document.createNode(action));
  const actionList = document.get('actions');
  if (actionList instanceof YAMLSeq) actionList.flow = false;
  await writeFile(file, document.toString({ lineWidth: 120 }));
  return added.length;
}

function toKey(action: unknown): string {
  const { target, update, remove } = toRecord(action);
  return JSON.stringify([target, update ?? null, remove ?? false]);
}
