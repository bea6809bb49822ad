import { describe, expect, it } from 'vitest';
import { buildOne, parameter } from '../service.ts';

const GOOGLE = [
  '$.xgafv',
  'access_token',
  'alt',
  'callback',
  'fields',
  'key',
  'oauth_token',
  'prettyPrint',
  'quotaUser',
  'uploadType',
];
const named = (...names: string[]) => names.map((name) => parameter(name));
const argumentsOf = ({ tool }: ReturnType<typeof buildOne>) => tool.arguments.map(({ name }) => name);

describe('transport arguments', () => {
  it("of Google's interfaces are hidden, except the one that selects members of the answer", () => {
    expect(argumentsOf(buildOne({ parameters: named(...GOOGLE, 'pageToken') }))).toEqual(['fields', 'pageToken']);
  });

  it('that other interfaces use for something else are kept', () => {
    const names = ['alt', 'callback', 'key', 'pretty'];
    expect(argumentsOf(buildOne({ parameters: named(...names) }))).toEqual(names);
  });

  it('are recognised by their description where their name is not enough', () => {
    const parameters = [
      parameter('pretty', { description: 'Whether the answer is pretty-printed.' }),
      parameter('callback', { description: 'Function name for JSONP.' }),
    ];
    expect(argumentsOf(buildOne({ parameters }))).toEqual([]);
  });

  it('that are required, or are not query parameters, are kept', () => {
    const parameters = [parameter('prettyPrint', { required: true }), parameter('opt_pretty', { in: 'header' })];
    expect(argumentsOf(buildOne({ parameters }))).toEqual(['prettyPrint', 'optPretty']);
  });

  it.each([
    ['a tool by its name', { tools: { shop_list: { operation: 'listThings', arguments: { prettyPrint: {} } } } }],
    [
      'a tool by its place',
      { tools: { shop_list: { operation: 'listThings', arguments: { pretty: { wire: 'query.prettyPrint' } } } } },
    ],
    ['every tool', { defaults: { arguments: { prettyPrint: { description: 'Whether to indent.' } } } }],
    ['every tool by its place', { defaults: { arguments: { pretty: { wire: 'query.prettyPrint' } } } }],
  ])('are shown where connector.yaml asks: %s', (_title, config) => {
    const built = buildOne({ parameters: named('prettyPrint') }, config);
    expect(argumentsOf(built)).toHaveLength(1);
    expect(built.codes).toEqual([]);
  });

  it('can be fixed', () => {
    const { tool, codes } = buildOne(
      { parameters: [parameter('prettyPrint', { schema: { type: 'boolean' } })] },
      { defaults: { fixed: { 'query.prettyPrint': false } } },
    );
    expect(tool.call.query).toEqual([{ wireName: 'prettyPrint', value: { kind: 'constant', value: false } }]);
    expect(codes).toEqual([]);
  });
});
