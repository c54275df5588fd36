import { createServer } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { listenWhenTold } from '../servers/listen.ts'
import { serve } from './wire.ts'

/* PGlite in a process of its own, spoken to like any PostgreSQL: the default where no database is installed. */

const database = await PGlite.create()
listenWhenTold(createServer(serve(message => database.execProtocolRaw(message))))
