#!/usr/bin/env node
'use strict';
// The command `authorizer-local`: runs the tool of the package for this processor.
const { spawn } = require('node:child_process');
const { tool } = require('./process.js');

let path;
try {
  path = tool();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(69);
}
// The tool prints the next commands with the name that it was called by: node_modules/.bin/authorizer-local.
const child = spawn(path, process.argv.slice(2), { stdio: 'inherit', argv0: process.argv[1] });
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// A terminal sends Ctrl-C to both; the tool decides when this ends.
for (const signal of signals) process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
child.on('error', (error) => {
  console.error(`error: ${path} cannot be started: ${error.message}\nhint: install the packages for this machine again`);
  process.exit(69);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  for (const name of signals) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
