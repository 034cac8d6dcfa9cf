// Uses all that a server offers, as the official TypeScript client: each tool, prompt, resource and list, the requests that the server
// makes, and every notification. What was said is recorded around this program, not by it.
//
//   node walk.mjs MODULES KIND DIR (--url URL | -- COMMAND [ARGS...])
import { pathToFileURL } from 'node:url';

const [modules, kind, dir, how, ...rest] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${modules}/@modelcontextprotocol/client/dist/${file}`).href);
const { Client, StreamableHTTPClientTransport } = await load('index.mjs');
const { StdioClientTransport } = await load('stdio.mjs');

const entity = (name) => ({ name, entityType: 'person', observations: ['likes tea', 'déjà vu 🙂'] });
const relation = { from: 'Ada', to: 'Grace', relationType: 'knows' };
const calls = {
  everything: {
    echo: { message: 'a line\nand "quotes" \u2028 12345678901234567890' },
    'get-annotated-message': { messageType: 'error', includeImage: true },
    'get-resource-links': { count: 2 },
    'get-resource-reference': { resourceType: 'Blob', resourceId: 2 },
    'get-structured-content': { location: 'Chicago' },
    'get-sum': { a: 0.1, b: 1e21 },
    'gzip-file-as-resource': { name: 'a.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' },
    'trigger-long-running-operation': { duration: 0.2, steps: 4 },
    'trigger-sampling-request': { prompt: 'What is two and two?', maxTokens: 5 },
    'trigger-sampling-request-async': { prompt: 'And three?', maxTokens: 5 },
    'trigger-url-elicitation': { url: 'https://example.com/consent' },
    'simulate-research-query': { topic: 'tea' },
  },
  filesystem: {
    write_file: { path: `${dir}/new.txt`, content: 'one\ntwo\nthree\n' },
    edit_file: { path: `${dir}/new.txt`, edits: [{ oldText: 'two', newText: '2' }] },
    read_file: { path: `${dir}/new.txt` }, read_text_file: { path: `${dir}/new.txt`, head: 2 }, read_media_file: { path: `${dir}/dot.png` },
    read_multiple_files: { paths: [`${dir}/new.txt`, `${dir}/missing`] },
    create_directory: { path: `${dir}/sub` }, move_file: { source: `${dir}/new.txt`, destination: `${dir}/sub/moved.txt` },
    list_directory: { path: dir }, list_directory_with_sizes: { path: dir }, directory_tree: { path: dir }, search_files: { path: dir, pattern: '**/*.txt' },
    get_file_info: { path: `${dir}/dot.png` }, list_allowed_directories: {},
  },
  memory: {
    create_entities: { entities: [entity('Ada'), entity('Grace'), entity('Nobody')] }, create_relations: { relations: [relation] },
    add_observations: { observations: [{ entityName: 'Ada', contents: ['counts'] }] }, read_graph: {}, search_nodes: { query: 'tea' }, open_nodes: { names: ['Ada'] },
    delete_observations: { deletions: [{ entityName: 'Ada', observations: ['counts'] }] }, delete_relations: { relations: [relation] }, delete_entities: { entityNames: ['Nobody'] },
  },
}[kind];

const client = new Client({ name: 'walk', version: '1' }, { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } } });
client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: pathToFileURL(dir).href, name: 'here' }] }));
client.setRequestHandler('sampling/createMessage', async () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'Four.' } }));
client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' }));
client.onerror = () => {};
const transport = how === '--url' ? new StreamableHTTPClientTransport(new URL(rest[0])) : new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env, stderr: 'ignore' });
await client.connect(transport);
const asked = []; // in turn, so that ids are the same in each run
const ask = async (what, f) => {
  try {
    await f();
    asked.push(what);
  } catch (e) {
    asked.push(`${what}: ${e.constructor.name}`);
  }
};
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const has = client.getServerCapabilities() ?? {};
await pause(400); // what the server asks at first
await ask('ping', () => client.ping());
if (has.logging) await ask('logging/setLevel', () => client.setLoggingLevel('debug'));
if (has.resources) {
  await ask('resources/list', () => client.listResources());
  await ask('resources/templates/list', () => client.listResourceTemplates());
  if (kind === 'everything') {
    await ask('resources/read', () => client.readResource({ uri: 'demo://resource/dynamic/text/1' }));
    await ask('resources/read', () => client.readResource({ uri: 'demo://resource/dynamic/blob/1' }));
    await ask('resources/subscribe', () => client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' }));
  }
}
if (has.prompts) {
  await ask('prompts/list', () => client.listPrompts());
  for (const [name, args] of [['simple-prompt', {}], ['args-prompt', { city: 'Paris' }], ['completable-prompt', { department: 'Sales', name: 'Ada' }], ['resource-prompt', { resourceType: 'Text', resourceId: '1' }]])
    await ask(`prompts/get ${name}`, () => client.getPrompt({ name, arguments: args }));
}
if (has.completions)
  await ask('completion/complete', () => client.complete({ ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'S' } }));
const offered = (await client.listTools()).tools.map((t) => t.name);
for (const name of [...Object.keys(calls).filter((n) => offered.includes(n)), ...offered.filter((n) => !(n in calls))])
  await ask(`tools/call ${name}`, () => client.callTool({ name, arguments: calls[name] ?? {} }, { onprogress: () => {} }));
await ask('tools/call nothing', () => client.request({ method: 'tools/call', params: { name: offered[0], arguments: { message: 7 } } }));
if (kind === 'everything') {
  await pause(5200); // the pace of its log and of its updates
  await ask('toggle', () => client.callTool({ name: 'toggle-simulated-logging', arguments: {} }));
  await ask('toggle', () => client.callTool({ name: 'toggle-subscriber-updates', arguments: {} }));
  await ask('resources/unsubscribe', () => client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' }));
}
await ask('roots/list_changed', () => client.sendRootsListChanged());
await pause(200);
if (how === '--url') await ask('DELETE', () => transport.terminateSession());
await client.close();
console.log(JSON.stringify({ offered, asked }));
