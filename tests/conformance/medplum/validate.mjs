// Reads one resource a line from standard input and prints one JSON list of issues a line.
import { validateResource } from '@medplum/core';
import { createInterface } from 'node:readline';
import { loadDefinitions } from './definitions.mjs';

loadDefinitions();

function issuesOf(resource) {
  try {
    return validateResource(resource).map(plain);
  } catch (error) {
    return error.outcome ? error.outcome.issue.map(plain) : [String(error)];
  }
}

function plain(issue) {
  return `${issue.severity}: ${issue.details?.text ?? issue.diagnostics} (${issue.expression ?? ''})`;
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line) {
    console.log(JSON.stringify(issuesOf(JSON.parse(line))));
  }
}
