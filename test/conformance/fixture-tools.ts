/** The tools whose names and answers the official conformance suite prescribes. They exist only for its test. */

import { createHmac } from 'node:crypto';
import type { Principal } from '../../server/base/principal/principal.ts';
import type { ResourceSource } from '../../server/call/mcp/resources.ts';
import {
  type CompleteToolResult,
  type ContentBlock,
  InvalidCallError,
  type ToolCallContext,
  type ToolProvider,
  type ToolResult,
  UnknownToolError,
} from '../../server/call/tools/provider.ts';

type Fixture = (context: ToolCallContext, args: Readonly<Record<string, unknown>>) => ToolResult | Promise<ToolResult>;

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const STATE_KEY = 'conformance';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const complete = (...content: ContentBlock[]): CompleteToolResult => ({ content });
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const seal = (state: string): string => `${state}.${createHmac('sha256', STATE_KEY).update(state).digest('base64url')}`;
const open = (sealed: string | null): string => {
  const state = sealed?.slice(0, sealed.lastIndexOf('.')) ?? '';
  if (sealed !== seal(state)) throw new InvalidCallError('requestState was not made by this server');
  return state;
};

const elicit = (message: string, member: string, type: string) => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: { type: 'object', properties: { [member]: { type } }, required: [member] },
  },
});
const sample = (question: string, maxTokens: number) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };

function ask(
  inputRequests: Readonly<Record<string, { method: string; params: unknown }>>,
  then: (answers: Readonly<Record<string, unknown>>) => string,
  state?: string,
): Fixture {
  return (context) => {
    const answers = context.inputResponses;
    const answered = Object.keys(inputRequests).every((key) => isObject(answers[key]));
    if (!answered) {
      return {
        resultType: 'input_required',
        inputRequests,
        ...(state === undefined ? {} : { requestState: seal(state) }),
      };
    }
    if (state !== undefined && open(context.requestState) !== state) throw new InvalidCallError('wrong requestState');
    return complete(text(then(answers)));
  };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const PARKED = 200;
const say = (message: string, answer = 'answer') => elicit(message, answer, 'string');

/** Of the scenarios for tasks. What takes longer than the gateway's 50 ms is a task. */
const TASK_FIXTURES: Readonly<Record<string, Fixture>> = {
  confirm_delete: async (context) => {
    await wait(PARKED);
    return ask({ confirm: elicit('Delete it?', 'confirm', 'boolean') }, () => 'deleted')(context, {});
  },
  failing_job: async () => {
    await wait(1_000);
    return { ...complete(text('This job fails.')), isError: true };
  },
  greet: (_, { name }) => complete(text(`Hello, ${name}!`)),
  multi_input: async (context) => {
    await wait(PARKED);
    return ask({ first: say('First?'), second: say('Second?') }, () => 'both were given')(context, {});
  },
  protocol_error_job: async () => {
    await wait(PARKED);
    throw new Error('this job breaks');
  },
  slow_compute: ({ signal }, { seconds }) =>
    new Promise((resolve) => {
      const stop = () => resolve({ ...complete(text('stopped')), isError: true });
      signal.addEventListener('abort', stop, { once: true });
      setTimeout(() => resolve(complete(text('computed'))), Number(seconds) * 1000).unref();
    }),
  test_tool_with_task: async (context) => {
    const said = ask({ user_name: say('What is your name?', 'name') }, (answers) => JSON.stringify(answers))(
      context,
      {},
    );
    if (Object.keys(context.inputResponses).length > 0) await wait(PARKED);
    return said;
  },
};

/** Asks the user, of a client of 2025 in its session. */
const askWith =
  (properties: Record<string, object>): Fixture =>
  async (context, args) => {
    const requestedSchema = { type: 'object', properties, required: Object.keys(properties).slice(0, 1) };
    const params = { message: String(args.message ?? 'Please fill this in'), requestedSchema };
    const said = (answers: unknown) => `Elicitation completed: ${JSON.stringify(answers)}`;
    const result = await ask({ answer: { method: 'elicitation/create', params } }, said)(context, args);
    if (result.resultType !== 'input_required') return result;
    return { ...result, inSession: { otherwise: complete(text('Nobody can be asked.')), isDone: () => false } };
  };

const options = (...values: string[]) => ({ type: 'string', enum: values });
const titled = (...pairs: [string, string][]) => pairs.map(([value, title]) => ({ const: value, title }));

const ELICITATION_FIXTURES: Readonly<Record<string, Fixture>> = {
  test_elicitation: askWith({ username: { type: 'string' }, email: { type: 'string' } }),
  test_elicitation_sep1034_defaults: askWith({
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { ...options('active', 'inactive', 'pending'), default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: askWith({
    untitledSingle: options('option1', 'option2', 'option3'),
    titledSingle: { type: 'string', oneOf: titled(['value1', 'First Option'], ['value2', 'Second Option']) },
    legacyEnum: { ...options('opt1', 'opt2', 'opt3'), enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: options('option1', 'option2', 'option3') },
    titledMulti: { type: 'array', items: { anyOf: titled(['value1', 'First Choice'], ['value2', 'Second Choice']) } },
  }),
};

const FIXTURES: Readonly<Record<string, Fixture>> = {
  ...ELICITATION_FIXTURES,
  ...TASK_FIXTURES,
  json_schema_2020_12_tool: () => complete(text('ok')),
  test_audio_content: () => complete({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    complete({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  test_error_handling: () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }),
  test_image_content: () => complete({ type: 'image', data: PNG, mimeType: 'image/png' }),
  test_input_required_result_capabilities: (context) => {
    const declared = context.clientCapabilities;
    const inputRequests = {
      ...('sampling' in declared ? { question: sample('What is the capital of France?', 50) } : {}),
      ...('elicitation' in declared ? { name: elicit('What is your name?', 'name', 'string') } : {}),
    };
    const answered = Object.keys(inputRequests).every((key) => isObject(context.inputResponses[key]));
    return answered ? complete(text('done')) : { resultType: 'input_required', inputRequests };
  },
  test_input_required_result_elicitation: ask(
    { user_name: elicit('What is your name?', 'name', 'string') },
    ({ user_name }) => `Hello, ${(user_name as { content?: { name?: string } }).content?.name}!`,
  ),
  test_input_required_result_list_roots: ask({ client_roots: roots }, ({ client_roots }) =>
    JSON.stringify((client_roots as { roots?: unknown }).roots),
  ),
  test_input_required_result_multi_round: (context) => {
    const state = context.requestState === null ? null : open(context.requestState);
    if (state === 'second' && isObject(context.inputResponses.step2)) return complete(text('done'));
    if (state === 'first' && isObject(context.inputResponses.step1)) {
      return {
        resultType: 'input_required',
        inputRequests: { step2: elicit('Step 2: What is your favorite color?', 'color', 'string') },
        requestState: seal('second'),
      };
    }
    return {
      resultType: 'input_required',
      inputRequests: { step1: elicit('Step 1: What is your name?', 'name', 'string') },
      requestState: seal('first'),
    };
  },
  test_input_required_result_multiple_inputs: ask(
    {
      user_name: elicit('What is your name?', 'name', 'string'),
      greeting: sample('Generate a greeting', 50),
      client_roots: roots,
    },
    () => 'done',
    'multiple',
  ),
  test_input_required_result_request_state: ask(
    { confirm: elicit('Please confirm', 'ok', 'boolean') },
    () => 'state-ok',
    'request-state',
  ),
  test_input_required_result_sampling: ask(
    { capital_question: sample('What is the capital of France?', 100) },
    ({ capital_question }) => JSON.stringify(capital_question),
  ),
  test_input_required_result_tampered_state: ask(
    { confirm: elicit('Please confirm', 'ok', 'boolean') },
    () => 'state-ok',
    'tampered-state',
  ),
  test_logging_tool: () => complete(text('This server declares no logging.')),
  test_missing_capability: () => ({
    resultType: 'input_required',
    inputRequests: { question: sample('Is this declared?', 10) },
  }),
  test_multiple_content_types: () =>
    complete(
      text('Multiple content types test:'),
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ),
  test_simple_text: () => complete(text('This is a simple text response for testing.')),
  test_streaming_elicitation: ask({ name: elicit('What is your name?', 'name', 'string') }, () => 'done'),
  test_tool_with_progress: async () => {
    await wait(500);
    return complete(text('Progress was reported.'));
  },
  test_trigger_tool_change() {
    changes += 1;
    return complete(text('The list of tools has changed.'));
  },
};

/** Times that the list has changed: part of one description. */
let changes = 0;

const SCHEMAS: Readonly<Record<string, unknown>> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword that the suite asks for
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const TOOLS = Object.keys(FIXTURES)
  .sort()
  .map((name) => ({
    name,
    description: `Answers what the conformance suite expects of ${name}.`,
    inputSchema: SCHEMAS[name] ?? { type: 'object', properties: {}, additionalProperties: name in TASK_FIXTURES },
  }));

/** The resources that the suite prescribes. */
export const FIXTURE_RESOURCES: ResourceSource = {
  prefix: 'test://',
  template: { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Data of an id.' },
  list: () =>
    (['static-text', 'static-binary'] as const).map((name) => ({
      ...{ uri: `test://${name}`, name, description: `A fixture: ${name}.` },
      ...{ mimeType: name === 'static-text' ? 'text/plain' : 'image/png', size: 48 },
    })),
  async read(_, uri) {
    if (uri === 'test://static-binary') return { mimeType: 'image/png', blob: PNG };
    if (uri === 'test://static-text') {
      return { mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
    }
    const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
    if (id === undefined) return undefined;
    return {
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    };
  },
};

/** Offers the fixtures next to the tools of another provider. */
export function withFixtureTools(provider: ToolProvider): ToolProvider {
  return {
    ...provider,
    async list(principal: Principal) {
      const own = JSON.parse(Buffer.from((await provider.list(principal)).json).toString('utf8')) as unknown[];
      const listed = TOOLS.map((tool) =>
        tool.name === 'test_trigger_tool_change' ? { ...tool, description: `${tool.description} (${changes})` } : tool,
      );
      return { json: Buffer.from(JSON.stringify([...listed, ...own])) };
    },
    async call(principal, name, args, context) {
      const fixture = FIXTURES[name];
      if (fixture !== undefined) return fixture(context, args);
      if (name.startsWith('test_')) throw new UnknownToolError(name, []);
      return provider.call(principal, name, args, context);
    },
  };
}
