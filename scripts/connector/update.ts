/** Replaces the descriptor of a service with a newer one, and reports how its tools change. */

import path from 'node:path';
import { runCodegen } from '../../codegen/command.ts';
import { listServices } from '../../codegen/load/index.ts';
import {
  buildReport,
  createSurfaceReader,
  createTokenCounter,
  formatMarkdown,
  formatText,
} from '../../codegen/report/index.ts';
import type { Output } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { loadAcknowledgements } from '../tools-diff/acknowledgements.ts';
import { readFolder } from '../tools-diff/generated-files.ts';
import { formatUnfollowed } from './add-report.ts';
import type { LiveRules } from './mcp/live-server.ts';
import { loadLock } from './mcp/lock-file.ts';
import { updateMcpServer } from './mcp/update.ts';
import { changedUrls, loadRecord } from './record.ts';
import { type CommandRules, readWithProgress, writeServiceFiles } from './service-files.ts';
import { isUrl } from './source.ts';

interface Update extends CommandRules, LiveRules {
  readonly root: string;
  readonly service: string;
  /** Null for the address in the service's `source.json`. */
  readonly source: string | null;
}

/**
 * If there are errors, the new descriptor stays and `generated/` is unchanged: `connector.yaml` has to be adapted first.
 *
 * @throws {UsageError} for a service that does not exist, and for a source that is not known or cannot be read.
 */
export async function updateConnector(update: Update, output: Output): Promise<boolean> {
  const report = await writeUpdate(update, output);
  if (report === null) return false;
  output.out(`\n${report.text}`);
  return true;
}

/** A report on how an update changes the tools. */
interface UpdateReport {
  /** For a terminal. */
  readonly text: string;
  /** For a pull request. */
  readonly markdown: string;
}

/**
 * Does the same without printing the report.
 *
 * @returns null if there are errors
 */
export async function writeUpdate(update: Update, output: Output): Promise<UpdateReport | null> {
  const { root, service } = update;
  const services = await listServices(root);
  if (!services.includes(service)) {
    throw new UsageError(`There is no specs/${service}/. Known: ${services.join(', ') || 'none'}.`);
  }
  const before = await readFolder(root);
  await fetchDescriptor(update, output);
  const isUpToDate = await runCodegen({ root, services: [service] }, output);
  if (!isUpToDate) {
    output.err(`generated/${service}/ is unchanged. Adapt specs/${service}/connector.yaml, then run codegen.\n`);
    return null;
  }

  const reader = createSurfaceReader();
  const { acknowledgements, ownTexts } = await loadAcknowledgements(root);
  const surfaces = { before: reader.read(before), after: reader.read(await readFolder(root)) };
  const report = buildReport({
    ...surfaces,
    base: 'before the update',
    head: 'now',
    acknowledgements: acknowledgements.filter(({ file }) => file.startsWith(`specs/${service}/`)),
    ownTexts,
    countTokens: await createTokenCounter(),
    today: new Date().toISOString().slice(0, 10),
  });
  const { stale } = report;
  const reportWithoutStale = { ...report, stale: [] };
  const note = stale.length === 0 ? '' : `\n${toStaleNote(stale.length, service)}`;
  return {
    text: formatText(reportWithoutStale) + note,
    markdown: formatMarkdown(reportWithoutStale) + note,
  };
}

async function fetchDescriptor({ root, service, source, ...rules }: Update, output: Output): Promise<void> {
  const folder = path.join(root, 'specs', service);
  const lock = await loadLock(folder);
  if (lock !== null && (source === null || isUrl(source))) {
    await updateMcpServer(lock, { root, service, source: source ?? undefined, ...rules }, output);
    return;
  }
  const record = await loadRecord(folder);
  const address = source ?? record?.source;
  if (address === undefined) {
    throw new UsageError(
      `No address of the descriptor is known, because it came from a file: utg update ${service} <file-or-url>`,
    );
  }
  if (source === null) output.out(`\n${service}: ${address}\n`);
  const files = await readWithProgress(address, rules, { service, output });
  for (const url of changedUrls(record, files.record)) output.out(`${url} is not what it was.\n`);
  const { writtenFiles, removedFiles } = await writeServiceFiles(folder, files);
  for (const name of writtenFiles) output.out(`Wrote specs/${service}/${name}.\n`);
  for (const name of removedFiles) output.out(`Removed specs/${service}/${name}.\n`);
  output.err(formatUnfollowed(files.unfollowed));
  if (writtenFiles.length + removedFiles.length === 0) output.out(`specs/${service}/ already has this descriptor.\n`);
}

/** An acknowledgement of an earlier change in the same pull request matches nothing here, but is still needed. */
function toStaleNote(count: number, service: string): string {
  const subject = count === 1 ? '1 acknowledgement' : `${count} acknowledgements`;
  return (
    `${subject} in \`specs/${service}/connector.yaml\` concern${count === 1 ? 's' : ''} other changes than this update's. ` +
    '`npm run tools:diff` compares with the base of the pull request, and says which can go.\n'
  );
}
