/** The questions that the assistant answers: each is a fixed set of tool calls, and a sentence or table made of their results. */

import { type Client, callTool } from './mcp-client.ts';

/** The text for the user. */
export interface Answer {
  readonly text: string;
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly string[])[];
  /** The tool that the answer comes from. */
  readonly source?: string;
  /** The page where the user makes it possible. */
  readonly link?: { readonly label: string; readonly address: string };
  /** The user's own page at the gateway that the call waits for, where the user allows or approves it. */
  readonly waitsAt?: string;
}

/** Calls a tool. @throws {Refusal} if the gateway or the service refuses. */
type Call = <Result>(tool: string, args?: object) => Promise<Result>;

/** A suggestion that the user can click. */
interface Question {
  readonly text: string;
  /** The service that knows. */
  readonly service: string;
  readonly ask: (call: Call) => Promise<Answer>;
}

const COMPANY = 'Tidewater Analytics';
const CUSTOMER = 'Acme Robotics';

export const QUESTIONS: Readonly<Record<string, Question>> = {
  people: { text: `Who do we know at ${COMPANY}?`, service: 'crm', ask: listPeople },
  leave: { text: 'How much parental leave do employees in Berlin get?', service: 'retrieval', ask: findLeave },
  invoices: { text: `Which invoices of ${CUSTOMER} are open?`, service: 'billing', ask: listOpenInvoices },
  events: { text: 'What is on my calendar?', service: 'calendar', ask: listEvents },
  delete: { text: 'Delete the newsletter list', service: 'mailer', ask: deleteNewsletter },
};

/** A call that was refused. `code` is the gateway's, such as `awaiting_approval`, or null if the client does not have this tool. */
class Refusal extends Error {
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message);
    this.code = code;
  }
}

/**
 * Answers a question with the client's tools. What is refused becomes an answer too.
 *
 * @param title the name of the service that knows.
 */
export async function answerQuestion(client: Client, { ask, service }: Question, title: string): Promise<Answer> {
  try {
    return await ask(async <Result>(tool: string, args: object = {}) => {
      const { structuredContent, refusal } = await callTool(client, tool, args);
      if (refusal !== undefined) throw new Refusal(refusal.text, refusal.code);
      return structuredContent as Result;
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return explain(error, title, service);
  }
}

/** Returns the page of the user that a refusal names. Undefined if it names none. */
function addressIn(message: string): string | undefined {
  return /The user does that at (\S+)/.exec(message)?.[1];
}

function explain({ message, code }: Refusal, title: string, service: string): Answer {
  const address = addressIn(message) ?? (code === null ? `/?service=${service}` : '');
  if (address === '') return { text: `${title} did not do that: ${message}` };
  return code === 'needs_approval'
    ? { text: `You have not allowed me to do this in ${title} yet.`, waitsAt: address }
    : { text: `I cannot use ${title} yet.`, link: { label: 'Connect it', address } };
}

async function listPeople(call: Call): Promise<Answer> {
  const companies = await call<Listed<{ domain: string }>>('crm_find_company', { key: COMPANY });
  const [company] = companies.data;
  if (company === undefined) return { text: `${COMPANY} is not in Affinity.` };
  const where = { primaryEmailAddress: { contains: `@${company.domain}` } };
  const { data } = await call<Listed<Person>>('crm_list_persons', { where });
  return {
    text: `${data.length === 1 ? 'One person' : `${data.length} people`} at ${COMPANY}:`,
    columns: ['Name', 'Email'],
    rows: data.map(({ firstName, lastName, primaryEmailAddress }) => [`${firstName} ${lastName}`, primaryEmailAddress]),
    source: 'Affinity',
  };
}

async function findLeave(call: Call): Promise<Answer> {
  const query = { query: QUESTIONS.leave?.text, topK: 2 };
  const [best] = (await call<{ scored_chunks: Passage[] }>('retrieval_retrieve', query)).scored_chunks;
  if (best === undefined) return { text: 'No document says so.', source: 'Ragie' };
  return { text: best.text, source: `Ragie: ${best.document_name}, page ${best.metadata.page_number}` };
}

async function listOpenInvoices(call: Call): Promise<Answer> {
  const customers = await call<Listed<{ id: string }>>('billing_find_customer', { key: CUSTOMER });
  const [customer] = customers.data;
  if (customer === undefined) return { text: `${CUSTOMER} is not a customer.` };
  const { data } = await call<Listed<Invoice>>('billing_list_invoices', { customerId: customer.id });
  const open = data.filter(
    ({ status, external_invoice }) => status === 'FINALIZED' && external_invoice?.external_status === 'OPEN',
  );
  const toDollars = (cents: number): string =>
    (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  return {
    text: open.length === 0 ? 'All invoices are paid.' : `Open: ${open.length} of ${data.length} invoices.`,
    columns: ['Month', 'Total'],
    rows: open.map(({ start_timestamp, total }) => [start_timestamp.slice(0, 7), toDollars(total)]),
    source: 'Metronome',
  };
}

async function listEvents(call: Call): Promise<Answer> {
  const { events } = await call<{ events: { title: string; day: string }[] }>('calendar_list_events');
  const rows = events.map(({ title, day }) => [day, title]);
  return { text: `${events.length} events:`, columns: ['Day', 'Event'], rows, source: 'Sample Calendar' };
}

/** Asked again after the approval, it makes the same call with the same arguments, which the gateway then sends. */
async function deleteNewsletter(call: Call): Promise<Answer> {
  const [brand] = (await call<Listed<{ id: string; name: string }>>('mailer_list_brands', { maxItems: 1 })).data;
  if (brand === undefined) return { text: 'BigMailer has no brand.' };
  const { data } = await call<Listed<ContactList>>('mailer_list_lists', { brandId: brand.id });
  const list = data.find(({ name }) => name === 'Newsletter');
  if (list === undefined) return { text: `${brand.name} has no newsletter list any more.`, source: 'BigMailer' };
  const what = `the list Newsletter of ${brand.name} with ${list.num_contacts} contacts`;
  try {
    await call('mailer_delete_list', { brandId: brand.id, listId: list.id });
  } catch (error) {
    const isAsked = error instanceof Refusal && (error.code === 'awaiting_approval' || error.code === 'needs_approval');
    const waitsAt = isAsked ? addressIn(error.message) : undefined;
    if (waitsAt === undefined) throw error;
    return { text: `I need your approval to delete ${what}. Nothing is deleted yet.`, waitsAt };
  }
  return { text: `Deleted ${what}.`, source: 'BigMailer' };
}

interface Listed<Entry> {
  readonly data: readonly Entry[];
}

interface Person {
  readonly firstName: string;
  readonly lastName: string;
  readonly primaryEmailAddress: string;
}

interface Passage {
  readonly text: string;
  readonly document_name: string;
  readonly metadata: { readonly page_number: number };
}

interface Invoice {
  readonly status: string;
  readonly start_timestamp: string;
  /** Cents. */
  readonly total: number;
  readonly external_invoice?: { readonly external_status: string };
}

interface ContactList {
  readonly id: string;
  readonly name: string;
  readonly num_contacts: number;
}
