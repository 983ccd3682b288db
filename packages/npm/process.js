'use strict';
// The process of one gateway, with its log.
const { spawn } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const { version = 'VERSION' } = require('./package.json');

// Becomes the gateway, which a child ends when standard input ends: also a test that is killed closes it, so no gateway
// is left. Ctrl-C must not end the gateway before the tests have read its log. The child is in the gateway's process
// group, so no other process gets the gateway's ID before it has ended.
const untilEnd = 'exec 3<&0 </dev/null; { read -r _; kill $$; } <&3 >/dev/null 2>&1 & exec "$0" "$@" 3<&-';
// Milliseconds for the gateway to end its functions, and for its pipes to tell what happened: our choices.
const endTime = 10_000;
const pipeTime = 2_000;
const console = /(http:\/\/127\.0\.0\.1:\d+)\/dev\/console#secret=(\S+)/;

class GatewayError extends Error {
  name = 'GatewayError';
}

/** Returns the path of the tool in the package for this processor. */
function tool() {
  const machine = `${process.platform}-${process.arch}`;
  const name = `@authorizer-local/${machine}`;
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', 'authorizer-local');
  } catch {
    if (!['linux-x64', 'linux-arm64'].includes(machine)) throw new GatewayError(`there is no tool for ${machine}, only for Linux`);
    throw new GatewayError(`the package ${name} is not installed: npm install --save-dev ./authorizer-local-${machine}-${version}.tgz`);
  }
}

class Process {
  lines = [];
  open = 2;
  #waiting = new Set();

  constructor(args, { tool: file = tool(), cwd, env }) {
    this.command = [file, 'serve', '--port', '0', '--no-watch', ...args];
    this.child = spawn('/bin/sh', ['-c', untilEnd, ...this.command], {
      cwd, env: { ...process.env, ...env }, detached: true, stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.exit = new Promise((resolve, reject) => {
      this.child.once('exit', (code, signal) => resolve(
        signal ? -os.constants.signals[signal] : code > 128 ? 128 - code : code));
      this.child.once('error', reject);
    });
    this.exit.catch(() => this.#wake());
    for (const [stream, isLog] of [[this.child.stdout, false], [this.child.stderr, true]]) {
      readline.createInterface({ input: stream, crlfDelay: Infinity })
        .on('line', (line) => {
          if (isLog) this.lines.push(line);
          this.console ??= console.exec(line);
          this.#wake();
        })
        .on('close', () => {
          this.open -= 1;
          this.#wake();
        });
    }
  }

  /** Starts a gateway. */
  static async start(args, options) {
    const started = new Process(args, options);
    const timeout = options.timeout ?? 60_000;
    await Promise.race([started.until(() => started.console || !started.open, timeout), started.exit]).catch(
      (error) => { throw new GatewayError(`the gateway did not start: ${error.message}`); });
    if (!started.console) {
      const why = started.open ? `did not start within ${timeout} ms` : 'did not start';
      await started.close();
      throw new GatewayError(`the gateway ${why}: ${started.command.join(' ')}\n${started.lines.join('\n')}`);
    }
    [, started.base, started.secret] = started.console;
    // A forgotten gateway does not keep the tests from ending.
    for (const part of [started.child, ...started.child.stdio]) part.unref();
    return started;
  }

  #wake() {
    for (const look of this.#waiting) look();
  }

  /** Waits until a condition holds, and returns whether it does. */
  until(condition, milliseconds = pipeTime) {
    return new Promise((resolve) => {
      const look = () => {
        if (condition()) done(true);
      };
      const done = (result) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(result);
      };
      const timer = setTimeout(done, milliseconds, false);
      this.#waiting.add(look);
      look();
    });
  }

  /** Waits until a line of the log has a word: the pipe is later than the answer. */
  line(word) {
    return this.until(() => !this.open || this.lines.some((line) => line.includes(word)));
  }

  /** Ends the gateway, and returns its exit code; negative for a signal. */
  async close() {
    this.child.ref();
    this.child.stdin.end();
    const timer = setTimeout(() => process.kill(-this.child.pid, 'SIGKILL'), endTime);
    try {
      return await this.exit;
    } finally {
      clearTimeout(timer);
    }
  }
}

module.exports = { GatewayError, Process, tool };
