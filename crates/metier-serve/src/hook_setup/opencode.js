// Written by `metier hook setup opencode`; `metier hook remove opencode` removes it.
// Every tool call is shown to metier first. What metier does not answer does not happen.
import { spawn } from "node:child_process"

const METIER = ["metier"]
const PINNED = {}
const PATIENCE_MS = 10000
const parents = new Map()

async function root(client, session) {
  // Sub-agents share the session of whoever started them, also of one that an earlier process started.
  for (let steps = 0; steps < 100; steps += 1) {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch((error) => ({ error }))
      if (!found?.data?.id) throw new Error("metier: nobody can tell who started the session " + session)
      parents.set(session, found.data.parentID)
    }
    const parent = parents.get(session)
    if (!parent) return session
    session = parent
  }
  throw new Error("metier: too many sub-agents started one another")
}

function ask(event) {
  return new Promise((resolve, reject) => {
    const refuse = (why) => reject(new Error("metier: " + why))
    const child = spawn(METIER[0], [...METIER.slice(1), "hook", "opencode"], {
      cwd: event.cwd,
      env: { ...process.env, ...PINNED },
      stdio: ["pipe", "pipe", "ignore"],
    })
    let out = ""
    const timer = setTimeout(() => { child.kill("SIGKILL"); refuse("there was no answer in time") }, PATIENCE_MS)
    child.on("error", (error) => { clearTimeout(timer); refuse("it cannot be started: " + error.message) })
    child.stdout.on("data", (data) => { out += data })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 0 && out === "") return resolve()
      try { refuse(JSON.parse(out).reason.replace(/^metier: /, "")) } catch { refuse("it could not answer") }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })
}

export const Metier = async ({ client, directory }) => ({
  event: async ({ event }) => {
    const info = event?.properties?.info
    if (event?.type !== "session.deleted" || !info?.id) return
    if (!info.parentID) await ask({ hook_event_name: event.type, session_id: info.id, cwd: directory }).catch(() => {})
    parents.delete(info.id)
  },
  "command.execute.before": async (input) => {
    await ask({
      hook_event_name: "command.execute.before",
      session_id: await root(client, input.sessionID),
      cwd: directory,
      command_name: input.command,
      command_args: input.arguments ?? "",
    })
  },
  "tool.execute.before": async (input, output) => {
    await ask({
      hook_event_name: "tool.execute.before",
      session_id: await root(client, input.sessionID),
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args ?? {},
    })
  },
})
