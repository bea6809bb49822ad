/** Turns counted drift into overlay actions, and adds them to the service's overlay. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Document, parse, parseDocument, YAMLSeq } from 'yaml';
import type { Problem } from '../../codegen/diagnostics.ts';
import { toRecord } from '../../codegen/json.ts';
import { loadOverlay, overlayDescriptor } from '../../codegen/load/overlay/index.ts';
import { openServiceFolder } from '../../codegen/load/service-folder.ts';
import { parsePointer, toPointer } from '../../server/call/tools/json.ts';
import type { Connector } from '../../server/contract/index.ts';
import type { DriftSum } from '../../server/modules/drift/tallies.ts';
import { type OverlayAction, toActions, toRequiredAction } from './actions.ts';
import { findSites } from './find-schema.ts';

const NAMES = ['openapi.yaml', 'openapi.yml', 'openapi.json'];
const OVERLAYS = ['overlay.yaml', 'overlay.yml', 'overlay.json'];

/** The proposal for one service. */
export interface Proposal {
  readonly actions: readonly OverlayAction[];
  /** Drift for which no action can be written, and why. */
  readonly left: readonly { readonly drift: DriftSum; readonly why: string }[];
}

/** The descriptor of a service with its overlay applied. @throws if there is none, or the overlay cannot be read. */
export async function loadOverlaid(root: string, service: string): Promise<unknown> {
  const folder = await openServiceFolder(root, service);
  const name = NAMES.find((one) => folder?.entries.includes(one));
  if (folder === null || name === undefined) throw new Error(`specs/${service}/ has no descriptor.`);
  const document: unknown = parse(await readFile(path.join(folder.path, name), 'utf8'));
  const overlay = await loadOverlay(folder);
  if (overlay !== null && 'problems' in overlay) throw new Error(overlay.problems.map(toText).join('\n'));
  overlayDescriptor(document, overlay);
  return document;
}

function toText({ file, pointer, message }: Problem): string {
  return `${file}${pointer === '' ? '' : ` at ${pointer}`}: ${message}`;
}

/** Changes each schema once, for everything that was found there. */
export function buildProposal(descriptor: unknown, connector: Connector, drifts: readonly DriftSum[]): Proposal {
  const isOpenApi30 = String(toRecord(descriptor).openapi).startsWith('3.0');
  const actions = new Map<string, OverlayAction>();
  const left: { drift: DriftSum; why: string }[] = [];
  for (const drift of drifts) {
    const tool = connector.tools.find(({ name }) => name === drift.tool);
    if (tool === undefined) {
      left.push({ drift, why: 'the tool is no longer generated, or is hand-written' });
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
        return toActions({ ...site, schema: site.value, isOpenApi30, keyword, found, because });
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
 * Adds the actions to the folder's overlay, which is created if missing (OpenAPI Overlay 1.0.0). Existing text is not reformatted.
 *
 * @returns the name of its file.
 */
export async function writeOverlay(folder: string, title: string, actions: readonly OverlayAction[]): Promise<string> {
  const name = OVERLAYS.find((one) => existsSync(path.join(folder, one))) ?? 'overlay.yaml';
  const file = path.join(folder, name);
  const document = existsSync(file)
    ? parseDocument(await readFile(file, 'utf8'))
    : new Document({
        overlay: '1.0.0',
        info: { title: `Repairs of the descriptor of ${title}`, version: '1.0.0' },
        actions: [],
      });
  if (!(document.get('actions') instanceof YAMLSeq)) document.set('actions', new YAMLSeq());
  for (const action of actions) document.addIn(['actions'], document.createNode(action));
  const actionList = document.get('actions');
  if (actionList instanceof YAMLSeq) actionList.flow = false;
  await writeFile(file, document.toString({ lineWidth: 120 }));
  return name;
}
