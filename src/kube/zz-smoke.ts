import { CachedWatch, KubeClient, systemClock, CONFIG_MAPS, LeaderElection, EventRecorder, EVENTS, LEASES, TransportError } from './index.ts';
import { undiciTransport } from './transport-undici.ts';
import { httpsTransport } from './transport-https.ts';
import { execSync } from 'node:child_process';
const log=(l:string)=>(f:any,m:string)=>console.log('   ',l,m,f.err?.message??'',f.pause??'');
const logger:any={debug(){},info:log('info'),warn:log('warn'),error:log('error'),child:()=>logger};
const opts={server:'https://127.0.0.1:26443',insecureSkipVerify:true,token:'sekret'};
const wait=(ms:number)=>new Promise(r=>setTimeout(r,ms));
for (const make of [undiciTransport, httpsTransport]) {
 const c=new KubeClient({transport:make(opts),fieldManager:'smoke'});
 for(let i=0;i<100;i++){ try{ await c.request({method:'GET',path:'/readyz'}); break;}catch(e:any){ await wait(200);} }
 const stop=new AbortController();
 const w=new CachedWatch({client:c,kind:CONFIG_MAPS,namespace:'default',clock:systemClock,logger});
 const changes:string[]=[]; w.subscribe(x=>changes.push(x.type+' '+x.object.metadata.name));
 const run=w.run(stop.signal); await w.synced(); console.log('synced', w.list().length);
 for(let i=0;i<100;i++){ try{ await c.apply(CONFIG_MAPS,{apiVersion:'v1',kind:'ConfigMap',metadata:{namespace:'default',name:'a'},data:{x:'1'}}); break;}catch(e:any){ console.log(e.message); await wait(300);} }
 await c.apply(CONFIG_MAPS,{apiVersion:'v1',kind:'ConfigMap',metadata:{namespace:'default',name:'b'},data:{x:'1'}});
 await wait(300);
 const t=performance.now();
 execSync('kill -9 $(cat /tmp/kubesmoke/d/api.pid); bash /tmp/kubesmoke/api.sh </dev/null >/dev/null 2>&1');
 await wait(100);
 let back=0; for(let i=0;i<200&&!back;i++){ try{ await c.delete(CONFIG_MAPS,{namespace:'default',name:'b'}); back=performance.now(); }catch(e:any){ if(!(e instanceof TransportError)) console.log(e.message); await wait(200);} }
 while(w.get({namespace:'default',name:'b'})) await wait(20);
 console.log('api back after',Math.round(back-t),'event after',Math.round(performance.now()-back), changes);
 const le=new LeaderElection({client:c,namespace:'default',name:'lease'+(make===undiciTransport?1:2),identity:'me',clock:systemClock,logger});
 const ls=new AbortController(); const lr=le.run(ls.signal,async s=>{ console.log('leading'); await new Promise(r=>s.addEventListener('abort',r)); });
 await wait(2500); console.log(JSON.stringify((await c.list(LEASES,{namespace:'default'})).items.map(x=>x.spec)));
 ls.abort(); await lr; console.log(JSON.stringify((await c.list(LEASES,{namespace:'default'})).items.map(x=>x.spec)));
 const r=new EventRecorder({client:c,component:'smoke',clock:systemClock,logger}); const cm=w.get({namespace:'default',name:'a'})!;
 for(let i=0;i<3;i++) r.event(cm,'Warning','Smoke','hello'); await r.flush();
 console.log((await c.list(EVENTS,{namespace:'default'})).items.map(e=>[e.metadata.name,e.count,e.message,e.firstTimestamp].join(' ')));
 stop.abort(); await run; await c.close();
}
console.log((process as any).getActiveResourcesInfo());
