// @medplum/fhir-router with its memory repository behind HTTP, as a second server for the suite.
// node --experimental-websocket server.mjs SEED.ndjson   prints "listening on URL" when ready and
// ends when its standard input is closed.
import { getStatus } from '@medplum/core';
import { FhirRouter, MemoryRepository } from '@medplum/fhir-router';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { loadDefinitions } from './definitions.mjs';

const BASE = '/fhir';
const JSON_TYPE = 'application/fhir+json';

loadDefinitions();
const repo = new MemoryRepository();
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  if (line) {
    await repo.createResource(JSON.parse(line), { assignedId: true });
  }
}
const router = new FhirRouter();

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const form = (request.headers['content-type'] ?? '').includes('x-www-form-urlencoded');
  if (form) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  return text ? JSON.parse(text) : undefined;
}

// The router takes a path and query relative to the base; "pathname" must stay empty (5.2.13).
async function handle(request) {
  const parsed = new URL(request.url, 'http://localhost');
  const path = parsed.pathname.slice(BASE.length) || '/';
  return router.handleRequest(
    {
      method: request.method,
      url: path + parsed.search,
      pathname: '',
      params: {},
      query: Object.fromEntries(
        [...parsed.searchParams.keys()].map((name) => {
          const values = parsed.searchParams.getAll(name);
          return [name, values.length > 1 ? values : values[0]];
        })
      ),
      body: await bodyOf(request),
      headers: request.headers,
      config: { transactions: true },
    },
    repo
  );
}

const server = createServer(async (request, response) => {
  try {
    const [outcome, resource] = await handle(request);
    const version = resource?.meta?.versionId;
    response.statusCode = getStatus(outcome);
    response.setHeader('Content-Type', JSON_TYPE);
    if (version) {
      response.setHeader('ETag', `W/"${version}"`);
    }
    if (response.statusCode === 201) {
      response.setHeader('Location', `${BASE}/${resource.resourceType}/${resource.id}`);
    }
    response.end(JSON.stringify(resource ?? outcome));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ resourceType: 'OperationOutcome', text: String(error) }));
  }
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}${BASE}`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
