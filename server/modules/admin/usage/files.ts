/** The answer of the usage page as a file: JSON for programs, and CSV (RFC 4180) that spreadsheets show as text and never run. */

import type { CallDimension } from '../../../base/store/reports/call-usage.ts';
import type { AdminRequest } from '../context.ts';
import { USAGE_PATH } from './page.ts';
import {
  answerUsage,
  durationsOf,
  readUsageQuestion,
  type UsageAnswer,
  type UsageRow,
  type UsageValue,
} from './question.ts';

const MAX_ROWS = 10_000;
const MAX_MS = 30_000;

/** The files, by path. */
export const USAGE_FILES: readonly { readonly path: string; send(request: AdminRequest): Promise<void> }[] = [
  { path: `${USAGE_PATH}.csv`, send: (request) => sendFile(request, 'csv') },
  { path: `${USAGE_PATH}.json`, send: (request) => sendFile(request, 'json') },
];

async function sendFile(request: AdminRequest, format: 'csv' | 'json'): Promise<void> {
  const { ctx } = request;
  const question = readUsageQuestion(request);
  ctx.set('Cache-Control', 'no-store');
  if (question.unknownDimension !== null) {
    ctx.status = 400;
    ctx.body = {
      error: 'invalid_request',
      error_description: `${question.unknownDimension} must be day, partner, user, client, service or tool.`,
    };
    return;
  }
  const answer = await answerUsage(request, question, { rows: MAX_ROWS, ms: MAX_MS });
  const { since, until } = question.asked.span;
  const days = { since: toDay(since), until: toDay(until) };
  ctx.set('Content-Disposition', `attachment; filename="usage-${days.since}-${days.until}.${format}"`);
  ctx.type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8';
  const usage = answer.rows.map(toMembers);
  ctx.body =
    format === 'csv'
      ? toCsv(columnsOf(question.asked.by), usage, notesOf(answer))
      : JSON.stringify({ ...days, by: question.asked.by, usage, ...cutsOf(answer) });
}

/** The members of a group. A name is null where there is none. */
type Members = Readonly<Record<string, string | number | null>>;

function toMembers(row: UsageRow): Members {
  const members = {};
  for (const value of row.values) Object.assign(members, membersOf(value));
  const { p50, p95 } = durationsOf(row);
  return { ...members, calls: row.calls, failures: row.failed, waiting: row.waiting, p50_ms: p50, p95_ms: p95 };
}

function columnsOf(by: readonly CallDimension[]): string[] {
  const names = by.flatMap((dimension) => Object.keys(membersOf({ dimension, id: '', name: null, testOf: null })));
  return [...names, 'calls', 'failures', 'waiting', 'p50_ms', 'p95_ms'];
}

function membersOf({ dimension, id, name, testOf }: UsageValue): Record<string, string | null> {
  switch (dimension) {
    case 'partner':
      return { partner: id, partner_name: testOf === null ? name : `${name} (test mode)` };
    case 'user':
      return { user: id, user_id: name };
    case 'client':
      return { client_id: id, client_name: name };
    default:
      return { [dimension]: id };
  }
}

function cutsOf({ countedSince, leftOut }: UsageAnswer) {
  return {
    counted_since: countedSince === null ? null : new Date(countedSince).toISOString(),
    groups_left_out: leftOut,
  };
}

/** Returns the last lines of a file from which something is missing. */
function notesOf(answer: UsageAnswer): string[] {
  const { counted_since: countedSince, groups_left_out: leftOut } = cutsOf(answer);
  const notes: string[] = [];
  if (countedSince !== null) notes.push(`Cut: only calls since ${countedSince} are counted. Choose fewer days.`);
  if (leftOut > 0) notes.push(`Cut: only the first ${MAX_ROWS} groups. ${leftOut} are left out.`);
  return notes;
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Characters with which a spreadsheet begins a formula, also behind spaces and in their full-width forms. */
const FORMULA = /^\s*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;
/** What begins a cell or row inside of a name, with a formula in it, in a spreadsheet whose cells are separated by semicolons or tabs. */
const INNER_FORMULA = /[;\t\r\n](?=[\s"]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Writes the rows below a line with the names of their columns. @param notes last lines, each with one cell. */
function toCsv(columns: readonly string[], rows: readonly Members[], notes: readonly string[]): string {
  const cellsOf = (row: Members) => columns.map((name) => row[name] ?? null);
  const lines = [columns, ...rows.map(cellsOf), ...notes.map((note) => [note])];
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value.replace(INNER_FORMULA, "$&'");
  return `"${FORMULA.test(value) ? "'" : ''}${text.replaceAll('"', '""')}"`;
}
