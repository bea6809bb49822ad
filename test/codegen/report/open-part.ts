/** Descriptors of a tool whose last member is left open: the members before it fill the budget of its input schema. */

type Json = Readonly<Record<string, unknown>>;

const REPORTS = Array.from({ length: 40 }, (_, report) => report);
const VALUES = Array.from({ length: 12 }, (_, value) => value);
const DETAILS = Array.from({ length: 30 }, (_, detail) => detail);
const DETAIL = 'A detail of the late report that is long enough to be left out of every tool that is published '.repeat(
  2,
);

const LATE = {
  type: 'object',
  required: ['currency'],
  properties: {
    currency: { type: 'string', enum: ['EUR', 'USD', 'GBP'] },
    weight: { type: 'integer', maximum: 100 },
    memo: { type: 'string' },
    ...Object.fromEntries(DETAILS.map((detail) => [`detail_${detail}`, { type: 'string', description: DETAIL }])),
  },
};

/** The descriptor of each side, by the rule that the change falls under. */
export const OPEN_PART_CASES: Readonly<Record<string, { readonly before: Json; readonly after: Json }>> = {
  'open-part-changed': {
    before: describeAssets(LATE),
    after: describeAssets({
      ...LATE,
      properties: {
        ...LATE.properties,
        currency: { type: 'string', enum: ['EUR', 'USD', 'GBP', 'CHF'] },
        note: { type: 'string' },
      },
    }),
  },
  'open-part-narrowed': {
    before: describeAssets(LATE),
    after: describeAssets({
      ...LATE,
      required: ['currency', 'memo'],
      properties: {
        ...LATE.properties,
        currency: { type: 'string', enum: ['EUR', 'USD'] },
        weight: { type: 'integer', maximum: 50 },
      },
    }),
  },
};

function describeAssets(late: Json): Json {
  const reports = REPORTS.map((report) => [`Report${report}`, describeReport(report)]);
  const options = REPORTS.map((report) => [`report_${report}`, { $ref: `#/components/schemas/Report${report}` }]);
  const input = {
    type: 'object',
    properties: {
      options: {
        type: 'object',
        properties: { ...Object.fromEntries(options), late: { $ref: '#/components/schemas/Late' } },
      },
    },
  };
  const answer = { type: 'object', properties: { id: { type: 'string' } } };
  return {
    openapi: '3.1.0',
    info: { title: 'Assets', version: '1' },
    servers: [{ url: 'https://assets.example' }],
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { ...Object.fromEntries(reports), Late: late },
    },
    security: [{ key: [] }],
    paths: {
      '/reports': {
        post: {
          operationId: 'createReport',
          summary: 'Create a report',
          requestBody: { required: true, content: { 'application/json': { schema: input } } },
          responses: { 200: { description: 'Done.', content: { 'application/json': { schema: answer } } } },
        },
      },
    },
  };
}

function describeReport(report: number): Json {
  const values = VALUES.map((value) => {
    const description = `The value ${value} of report ${report}, as the institution gave it to us when it was asked.`;
    return [`value_${report}_${value}`, { type: 'string', description, maxLength: 200 }];
  });
  return { type: 'object', properties: Object.fromEntries(values) };
}
