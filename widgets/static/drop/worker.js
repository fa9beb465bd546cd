async function w(e){let o=new Blob([e]).stream().pipeThrough(new DecompressionStream("gzip")),t=await new Response(o).arrayBuffer(),n=new DataView(t).getUint32(0,!0);return{meta:JSON.parse(new TextDecoder().decode(new Uint8Array(t,4,n))),bytes:t.slice(4+n)}}var b="kept/library",g="kept/bytecode",y="/lib/python3.12/site-packages",h=Date.UTC(2e3,0,1),A=`
def _compiled():
    import importlib.util, marshal, shutil, sys, zipfile, zipimport

    source = sys.path[1]
    shutil.copy(source, "/tmp/library.zip")
    unchecked = importlib.util.MAGIC_NUMBER + bytes([1, *[0] * 11])
    for module in list(sys.modules.values()):
        loader = getattr(module, "__loader__", None)
        if isinstance(loader, zipimport.zipimporter) and loader.archive == source:
            name = module.__file__.removeprefix(source + "/")
            code = unchecked + marshal.dumps(loader.get_code(module.__name__))
            with zipfile.ZipFile("/tmp/library.zip", "a") as archive:
                archive.writestr(name + "c", code)
            yield 1

_rest = _compiled()
lambda: next(_rest, 0)
`;function m(e,{meta:o,bytes:t}){let{files:n}=o,r=0,i="";for(let[d,c]of n){let s=`${y}/${d}`,a=s.slice(0,s.lastIndexOf("/"));a!==i&&e.mkdirTree(a),i=a,e.writeFile(s,new Uint8Array(t,r,c),{canOwn:!0}),e.utime(s,h,h),r+=c}}function*P(e,o){for(let t of e.readdir(o)){let n=`${o}/${t}`;t.endsWith(".pyc")?yield n:!t.startsWith(".")&&e.isDir(e.stat(n).mode)&&(yield*P(e,n))}}async function k(){if(typeof caches>"u")return null;let e=await caches.open(VERSION),[o,t]=await Promise.all([e.match(b),e.match(g)]);if(!o||!t)return null;let n=await t.arrayBuffer(),r=4+new DataView(n).getUint32(0,!0),i=JSON.parse(new TextDecoder().decode(new Uint8Array(n,4,r-4)));return{library:await o.blob(),bytecode:{meta:i,bytes:n.slice(r)}}}async function _(e){if(typeof caches>"u")return;let{FS:o}=e,t=[...P(o,y)],n=t.map(a=>o.readFile(a)),r=t.map((a,f)=>[a.slice(y.length+1),n[f].length]),i=new TextEncoder().encode(JSON.stringify({files:r})),d=new Uint8Array(new Uint32Array([i.length]).buffer),c=e.runPython(A);for(;c();)await new Promise(a=>setTimeout(a));let s=await caches.open(VERSION);await s.put(b,new Response(o.readFile("/tmp/library.zip"))),await s.put(g,new Response(new Blob([d,i,...n])))}var S=`
import sys
sys.dont_write_bytecode = False  # what is compiled is kept for the next time
import numpy
`,U=`
import functools
from aidge_nb.report.offered import offered

@functools.cache
def _page():
    from aidge_nb.report.tab import Tab
    return Tab()

def call(method, given):
    page = None if method == "offered" else _page()
    if method in ("offered", ""):
        return "", offered(), b""
    from aidge_nb.report.tab import answer
    error, found = answer(getattr(page, method), given)
    return (error, "", b"") if error else ("", *found)

call
`,l=e=>self.postMessage(e),p=e=>new URL(e,self.location.href).href,x=async e=>(await fetch(p(e))).arrayBuffer(),v=async e=>w(await x(e));async function F(){let e=await x("workbench.js");return{meta:{files:[["aidge_nb/widgets/static/workbench.js",e.byteLength]]},bytes:e}}async function L(e){let{loadPyodide:o}=await import(p("pyodide/pyodide.mjs")),t=e?URL.createObjectURL(e.library):p("pyodide/python_stdlib.zip");return o({indexURL:p("pyodide/"),stdLibURL:t})}async function R(){l({done:.05,words:"Loading Python \u2026"});let e=[v("pyodide/numpy.pack"),v("aidge_nb.pack"),F()],o=await k(),t=await L(o);l({done:.5,words:"Loading NumPy \u2026"});for(let r of e)m(t.FS,await r);o&&m(t.FS,o.bytecode),t.runPython(S),l({done:.75,words:"Loading aidge_nb \u2026"});let n=t.runPython(U);return u.then(async()=>{await new Promise(r=>setTimeout(r)),n("","").destroy(),o||await _(t)}),({id:r,method:i,given:d})=>{let c=n(i,typeof d=="string"?d:t.toPy(d)),[s,a,f]=c.toJs();return c.destroy(),{id:r,error:s,text:a,data:f}}}var u=R();u.then(()=>l({done:1,words:""}),e=>l({done:-1,words:`Python could not be started: ${e}`}));self.onmessage=async({data:e})=>{let{id:o}=e;try{l((await u)(e))}catch(t){let n=`Python stopped: ${t}. Load the page again.`;l({id:o,error:n,text:"",data:new Uint8Array})}};
