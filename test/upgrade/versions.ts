/** Other versions of this project each in its own folder: one from its history, and one with an extra migration. */

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CORE_TABLES } from '../../server/base/store/schema.ts';

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, '../..');
const INDEX = 'server/base/store/schema.ts';

/** Inside the project, so that Node finds its packages. */
const FOLDER = join(ROOT, '.cache/versions');

/** What a gateway and `seed-process.ts` run with. */
const PARTS = [
  'codegen',
  'generated',
  'sandbox',
  'scripts',
  'server',
  'shared',
  'specs',
  'test/support',
  'test/upgrade',
  'package.json',
];

export interface Version {
  readonly root: string;
  remove(): Promise<void>;
}

/** This version. */
export const PRESENT: Version = { root: ROOT, remove: async () => {} };

/** The migration that `buildNextVersion` adds: all that a migration may do. */
export const NEXT_MIGRATION = '9998-made-up';

const NEXT_MIGRATION_TEXT = `
import { sql } from 'kysely';
import type { LaterMigration } from './tables/table-set.ts';

export const madeUp: LaterMigration = {
  adds: ['call_tallies.retries'],
  async up(db) {
    await sql\`alter table users add column nickname text\`.execute(db);
    await sql\`alter table oauth_grants add column colour text not null default 'blue'\`.execute(db);
    await sql\`alter table call_records add column retries integer not null default 0\`.execute(db);
    await sql\`create index call_records_by_retries on call_records (retries, created_at)\`.execute(db);
    await sql\`create table badges (id text primary key, user_id text not null references users (id) on delete cascade)\`.execute(db);
    await sql\`insert into badges (id, user_id) select id, id from users\`.execute(db);
  },
};
`;

/** This version with an extra migration. */
export async function buildNextVersion(): Promise<Version> {
  const version = await makeFolder();
  for (const part of PARTS) await cp(join(ROOT, part), join(version.root, part), { recursive: true });
  await writeFile(join(version.root, `server/base/store/${NEXT_MIGRATION}.ts`), NEXT_MIGRATION_TEXT);
  const index = join(version.root, INDEX);
  const text = `import { madeUp } from './${NEXT_MIGRATION}.ts';\n${await readFile(index, 'utf8')}`;
  const named = text.replace(/(migrations: \{\n(?: {6}.*\n)*)/, `$1      '${NEXT_MIGRATION}': madeUp,\n`);
  await writeFile(index, named.replace("band: '", "retries: 'integer not null default 0',\n      $&"));
  return version;
}

/**
 * The last version before the newest migration.
 *
 * @throws {Error} if the history does not go back that far.
 */
export async function checkOutPreviousVersion(): Promise<Version> {
  const commit = await findPreviousVersion();
  if (commit === null) throw new Error('the history ends before the newest migration');
  const version = await makeFolder();
  await run(
    'bash',
    ['-euo', 'pipefail', '-c', 'git archive "$1" | tar -x -C "$2"', 'check-out', commit, version.root],
    {
      cwd: ROOT,
    },
  );
  return version;
}

/** Its commit, or null if the history does not go back that far, as in a shallow clone. */
export async function findPreviousVersion(): Promise<string | null> {
  const newest = Object.keys(CORE_TABLES.migrations).at(-1) ?? CORE_TABLES.baseline;
  try {
    const log = await run('git', ['log', '-m', '--first-parent', '--format=%H', `-S'${newest}'`, '--', INDEX], {
      cwd: ROOT,
    });
    const added = log.stdout.trim().split('\n').at(-1) ?? '';
    const parent = await run('git', ['rev-parse', '--verify', '--quiet', `${added}^`], { cwd: ROOT });
    return parent.stdout.trim();
  } catch {
    return null;
  }
}

async function makeFolder(): Promise<Version> {
  await mkdir(FOLDER, { recursive: true });
  const root = await mkdtemp(join(FOLDER, 'version-'));
  return { root, remove: () => rm(root, { recursive: true }) };
}
